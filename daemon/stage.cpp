#include "daemon/stage.h"

#include <utility>

namespace fulcrum::daemon {

void Stage::set(worker::SetPlan setting, Done done) {
  if (!setting.plan.mode || board_.mode() == setting.plan.mode) {
    send_(std::move(setting));
    done({});
    return;
  }
  waiting_ = Waiting{std::move(setting), std::move(done), clock_.now()};
  ++holds_asked_;
  send_(worker::Hold{});
}

void Stage::worker_holds() {
  if (holds_asked_ > 0) --holds_asked_;
  if (!waiting_ || holds_asked_ > 0) return;
  auto [setting, done, since] = std::exchange(waiting_, std::nullopt).value();
  const auto applied = board_.apply(*setting.plan.mode);
  if (applied) send_(std::move(setting));
  done(applied);
}

}  // namespace fulcrum::daemon
