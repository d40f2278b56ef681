#include "daemon/gpu_watch.h"

#include <algorithm>

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::milliseconds kWindow{2000};
constexpr std::chrono::seconds kValid{10};
constexpr std::size_t kFewestSamples = 10;
constexpr double kMostOwn = 0.7;  // above, what others do is not seen
constexpr double kFull = 0.97;
constexpr double kNoise = 0.1;  // loads are coarse, and lag behind

}  // namespace

void GpuWatch::step(TimePoint begun, TimePoint ended) {
  steps_.push_back({begun, ended});
  running_since_.reset();
  while (!steps_.empty() && ended - steps_.front().ended > 2 * kWindow)
    steps_.pop_front();
}

double GpuWatch::own_share(TimePoint from, TimePoint to) const {
  Duration own{};
  for (const auto& step : steps_)
    own += std::max(Duration::zero(), std::min(step.ended, to) - std::max(step.begun, from));
  if (running_since_) own += std::max(Duration::zero(), to - std::max(*running_since_, from));
  return to_s(own) / to_s(to - from);
}

void GpuWatch::load(double load, TimePoint at) {
  samples_.push_back({at, load});
  while (at - samples_.front().at > kWindow)
    samples_.pop_front();
  if (samples_.size() < kFewestSamples || at - samples_.front().at < kWindow / 2) return;
  const double own = own_share(samples_.front().at, at);
  if (own > kMostOwn) return;
  double sum = 0;
  bool full = false;
  for (const auto& sample : samples_) {
    sum += sample.load;
    full = full || (sample.load > kFull && own > 0);
  }
  double foreign = sum / static_cast<double>(samples_.size()) - own;
  // A load cannot show more than all of the time: then others use at least so much.
  if (full) foreign = std::max(foreign, foreign_.value_or(0));
  foreign_ = foreign > kNoise ? foreign : 0;
  known_at_ = at;
}

std::optional<double> GpuWatch::foreign(TimePoint now) const {
  if (!foreign_ || now - known_at_ > kValid) return std::nullopt;
  return foreign_;
}

}  // namespace fulcrum::daemon
