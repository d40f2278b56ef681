#include "worker/step_times.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::worker {

namespace {
constexpr std::size_t kRemembered = 400;
constexpr std::size_t kEnough = 100;

double nearest_rank(const std::vector<double>& sorted, double percent) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(percent / 100.0 * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}
}  // namespace

scheduler::StepTime summarize_steps(int batch_size, std::vector<double> samples_ms) {
  std::sort(samples_ms.begin(), samples_ms.end());
  return {batch_size, nearest_rank(samples_ms, 50), nearest_rank(samples_ms, 99)};
}

void RecentStepTimes::add(int batch_size, double ms) {
  Ring& ring = rings_[batch_size];
  if (ring.samples.size() < kRemembered) {
    ring.samples.push_back(ms);
  } else {
    ring.samples[ring.next] = ms;
    ring.next = (ring.next + 1) % kRemembered;
  }
}

std::vector<scheduler::StepTime> RecentStepTimes::summary() const {
  std::vector<scheduler::StepTime> summary;
  for (const auto& [batch_size, ring] : rings_) {
    if (ring.samples.size() >= kEnough) summary.push_back(summarize_steps(batch_size, ring.samples));
  }
  return summary;
}

}  // namespace fulcrum::worker
