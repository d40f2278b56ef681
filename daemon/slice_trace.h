#pragma once
// The slices of late: what the device did, when and why.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

class SliceTrace {
 public:
  static constexpr std::size_t kKept = 65'536;
  static constexpr std::size_t kMostAtOnce = 1000;

  // `job`: null for one that is gone.
  void add(const worker::DeviceSlice& slice, const JobSpec* job);

  // The slices that ended after `since`, in order of time; from number `from` on, before number `to`, so that
  // who asks in parts gets each once. {"slices", "next", "end"}: the number at which the next part begins,
  // null after the last; and the number after the newest slice.
  struct Range {
    TimePoint since{};
    std::optional<std::uint64_t> from;
    std::optional<std::uint64_t> to;
    std::size_t limit = kMostAtOnce;
  };
  Json get(const Range& range) const;

 private:
  struct Title {
    JobId job = 0;
    std::string name;
    std::string kind;
  };
  struct Entry {
    worker::DeviceSlice slice;
    std::shared_ptr<const Title> title;
  };
  std::shared_ptr<const Title> title_of(const worker::DeviceSlice& slice, const JobSpec* job);

  std::deque<Entry> entries_;
  std::uint64_t first_ = 0;                           // number of the oldest entry
  std::vector<std::shared_ptr<const Title>> titles_;  // of the jobs of late
};

}  // namespace fulcrum::daemon
