#pragma once
// Changes the power mode between two slices: the worker finishes the one that runs and holds, the board is
// set and read back, and the worker goes on with the plan for that mode.

#include <functional>
#include <optional>

#include "common/clock.h"
#include "daemon/board_keeper.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

class Stage {
 public:
  using Send = std::function<void(const worker::ToWorker&)>;
  // How setting the mode went. When it failed the worker still holds: it must be given a plan for the mode
  // that the board is in.
  using Done = std::function<void(const Expected<void>&)>;

  Stage(BoardKeeper& board, const Clock& clock, Send send)
      : board_(board), clock_(clock), send_(std::move(send)) {}

  // At once if the board is in the plan's mode, or the plan has none. Not while busy().
  void set(worker::SetPlan setting, Done done);
  // A change waits for the worker to hold.
  bool busy() const { return waiting_.has_value(); }
  // Since when; only while busy().
  TimePoint busy_since() const { return waiting_->since; }

  void worker_holds();
  // The change is not made, and nobody is told.
  void abandon() { waiting_.reset(); }
  // The same; and no hold that was asked for will be answered.
  void worker_down() {
    abandon();
    holds_asked_ = 0;
  }

 private:
  struct Waiting {
    worker::SetPlan setting;
    Done done;
    TimePoint since;
  };

  BoardKeeper& board_;
  const Clock& clock_;
  Send send_;
  std::optional<Waiting> waiting_;
  int holds_asked_ = 0;  // and not answered; only the last answer is about the change that waits
};

}  // namespace fulcrum::daemon
