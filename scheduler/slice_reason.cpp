#include "scheduler/slice_reason.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fulcrum::scheduler {

namespace {

using NamedReason = std::pair<SliceReason, std::string_view>;

constexpr std::array<NamedReason, 5> kReasonNames{{{SliceReason::full_batch, "full_batch"},
                                                   {SliceReason::latest_start, "latest_start"},
                                                   {SliceReason::free_time, "free_time"},
                                                   {SliceReason::new_job, "new_job"},
                                                   {SliceReason::probe, "probe"}}};

}  // namespace

std::string_view to_string(SliceReason reason) {
  const auto* found = std::find_if(kReasonNames.begin(), kReasonNames.end(),
                                   [=](const NamedReason& r) { return r.first == reason; });
  return found == kReasonNames.end() ? "unknown" : found->second;
}

std::optional<SliceReason> slice_reason_from(std::string_view name) {
  const auto* found = std::find_if(kReasonNames.begin(), kReasonNames.end(),
                                   [=](const NamedReason& r) { return r.second == name; });
  return found == kReasonNames.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace fulcrum::scheduler
