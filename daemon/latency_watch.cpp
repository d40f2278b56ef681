#include "daemon/latency_watch.h"

#include <algorithm>

namespace fulcrum::daemon {

namespace {
constexpr std::uint64_t kRequests = 300;  // three may miss a 99th percentile
}  // namespace

std::optional<LatencyWatch::Window> LatencyWatch::add(const Json& progress) {
  const auto served = progress.find("served");
  const auto share = progress.find("inside_budget");
  if (served == progress.end() || share == progress.end()) return std::nullopt;
  if (!served->is_number_unsigned() || !share->is_number()) return std::nullopt;
  const auto count = served->get<std::uint64_t>();
  const Count now{count, share->get<double>() * static_cast<double>(count)};
  if (!from_ || now.served < from_->served) from_ = now;
  const std::uint64_t requests = now.served - from_->served;
  if (requests < kRequests) return std::nullopt;
  last_ =
      Window{requests, std::clamp((now.inside - from_->inside) / static_cast<double>(requests), 0.0, 1.0)};
  from_ = now;
  return last_;
}

}  // namespace fulcrum::daemon
