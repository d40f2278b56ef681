#include "scheduler/step_bound.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {

namespace {

constexpr double kCoreExponent = 1.1;

double ratio(std::int64_t from, std::int64_t to) {
  return static_cast<double>(from) / static_cast<double>(std::max<std::int64_t>(to, 1));
}

}  // namespace

double slowdown_bound(const PowerMode& from, const PowerMode& to) {
  const double cores = std::pow(std::max(1.0, ratio(from.cpu_cores, to.cpu_cores)), kCoreExponent);
  return std::max({1.0, cores * ratio(from.cpu_khz, to.cpu_khz), cores, ratio(from.gpu_hz, to.gpu_hz),
                   ratio(from.emc_hz, to.emc_hz)});
}

std::optional<double> step_bound_ms(const ProfileSet& profiles, WorkloadTask task, const PowerMode& mode,
                                    int batch_size) {
  std::optional<double> least;
  for (auto it = profiles.begin(task); it != profiles.end() && it->second.task == task; ++it) {
    const auto& known = it->second;
    const double larger = std::max(1.0, ratio(batch_size, known.batch_size));
    const double bound = known.p99_ms * slowdown_bound(known.mode, mode) * larger;
    if (!least || bound < *least) least = bound;
  }
  return least;
}

}  // namespace fulcrum::scheduler
