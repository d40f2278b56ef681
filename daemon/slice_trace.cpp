#include "daemon/slice_trace.h"

#include <algorithm>

namespace fulcrum::daemon {

namespace {
constexpr std::size_t kTitlesKept = 64;
}  // namespace

std::shared_ptr<const SliceTrace::Title> SliceTrace::title_of(const worker::DeviceSlice& slice,
                                                              const JobSpec* job) {
  const auto known = std::find_if(titles_.begin(), titles_.end(),
                                  [&slice](const auto& title) { return title->job == slice.job; });
  if (known != titles_.end()) return *known;
  if (job == nullptr) return std::make_shared<Title>(Title{slice.job, "", ""});
  if (titles_.size() == kTitlesKept) titles_.erase(titles_.begin());
  titles_.push_back(std::make_shared<Title>(Title{slice.job, job->name, std::string(job->kind_name())}));
  return titles_.back();
}

void SliceTrace::add(const worker::DeviceSlice& slice, const JobSpec* job) {
  entries_.push_back({slice, title_of(slice, job)});
  if (entries_.size() <= kKept) return;
  entries_.pop_front();
  ++first_;
}

Json SliceTrace::get(const Range& range) const {
  const auto since_ns = to_ns(range.since);
  const auto begin = std::partition_point(entries_.begin(), entries_.end(), [since_ns](const Entry& entry) {
    return entry.slice.ended_ns <= since_ns;
  });
  const std::uint64_t end = first_ + entries_.size();
  const std::uint64_t to = std::min(range.to.value_or(end), end);
  std::uint64_t number = first_ + static_cast<std::uint64_t>(begin - entries_.begin());
  number = std::max(number, range.from.value_or(0));
  Json slices = Json::array();
  for (; number < to && slices.size() < range.limit; ++number) {
    const auto& [slice, title] = entries_[static_cast<std::size_t>(number - first_)];
    slices.push_back({{"job", slice.job},
                      {"name", title->name},
                      {"kind", title->kind},
                      {"batch_size", slice.batch_size},
                      {"queued", slice.queued},
                      {"why", scheduler::to_string(slice.reason)},
                      {"started_ns", slice.started_ns},
                      {"ended_ns", slice.ended_ns},
                      {"device_ms", slice.device_ms}});
  }
  return {{"slices", std::move(slices)}, {"next", number < to ? Json(number) : Json()}, {"end", end}};
}

}  // namespace fulcrum::daemon
