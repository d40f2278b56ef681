#include "worker/trial.h"

#include <algorithm>
#include <utility>

#include "worker/step_times.h"

namespace fulcrum::worker {

namespace {
constexpr int kWarmUpSteps = 5;
constexpr std::chrono::seconds kStarvedAfter{5};
}  // namespace

Trial::Trial(std::vector<int> batch_sizes, int samples)
    : batch_sizes_(std::move(batch_sizes)), samples_(samples) {}

void Trial::record(double ms, TimePoint now) {
  last_step_ = now;
  if (warmed_up_ < kWarmUpSteps) {
    ++warmed_up_;
    return;
  }
  longest_ms_ = std::max(longest_ms_, ms);
  auto& samples = measured_[batch_size()];
  samples.push_back(ms);
  if (static_cast<int>(samples.size()) < samples_) return;
  ++at_;
  warmed_up_ = 0;
  longest_ms_ = 0;
}

bool Trial::settle_if_starved(TimePoint now) {
  if (!last_step_) last_step_ = now;
  if (measured_.empty() || now - *last_step_ < kStarvedAfter) return false;
  at_ = batch_sizes_.size();
  return true;
}

std::vector<scheduler::StepTime> Trial::step_times() const {
  std::vector<scheduler::StepTime> times;
  for (const auto& [batch_size, samples] : measured_)
    times.push_back(summarize_steps(batch_size, samples));
  return times;
}

}  // namespace fulcrum::worker
