#pragma once
// How many of an inference job's latest requests were answered inside its budget.

#include <cstdint>
#include <optional>

#include "common/json_text.h"

namespace fulcrum::daemon {

class LatencyWatch {
 public:
  struct Window {
    std::uint64_t requests = 0;
    double inside = 0;  // share of them
  };

  // The job's progress as its worker tells it: {"served", "inside_budget"}, both since the job began. A
  // window when enough requests have come since the last.
  std::optional<Window> add(const Json& progress);

  // The last full one.
  const std::optional<Window>& last() const { return last_; }

 private:
  struct Count {
    std::uint64_t served = 0;
    double inside = 0;  // of them
  };
  std::optional<Count> from_;
  std::optional<Window> last_;
};

}  // namespace fulcrum::daemon
