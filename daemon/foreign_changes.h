#pragma once
// How often another program has changed the board's knobs of late, and whether it is worth while to set them
// back once more. Two programs that fight over the clocks leave no measurement true and no latency kept.

#include <deque>
#include <optional>

#include "common/clock.h"

namespace fulcrum::daemon {

class ForeignChanges {
 public:
  static constexpr std::size_t kMostReassertions = 5;
  static constexpr std::chrono::seconds kWindow{60};  // within which they count
  static constexpr std::chrono::seconds kSuspension{60};

  // Knobs were found changed. False: it happens too often; from now on it is suspended.
  bool may_reassert(TimePoint now) {
    while (!changes_.empty() && now - changes_.front() > kWindow)
      changes_.pop_front();
    changes_.push_back(now);
    if (changes_.size() <= kMostReassertions) return true;
    suspended_until_ = now + kSuspension;
    changes_.clear();
    return false;
  }
  // The first of the changes that count.
  bool is_first() const { return changes_.size() == 1; }

  bool suspended(TimePoint now) const { return suspended_until_ && now < *suspended_until_; }
  void forget() { *this = {}; }

 private:
  std::deque<TimePoint> changes_;
  std::optional<TimePoint> suspended_until_;
};

}  // namespace fulcrum::daemon
