// The commands of 'fulcrumctl board'.

#include <utility>

#include "cli/commands.h"
#include "cli/render.h"

namespace fulcrum::cli {

namespace {

// A board that will not do keeps the daemon from running; it can be looked at without.
Failure with_way_out(Failure failure) {
  if (failure.kind != FailureKind::unreachable) return failure;
  auto& hint = failure.faults.front().hint;
  hint += hint.empty() ? "" : "; ";
  hint += "'fulcrumd --doctor' looks at the board without the daemon";
  return failure;
}

}  // namespace

Outcome<void> Commands::board() {
  return show("board.get", render_board);
}
Outcome<void> Commands::board_modes() {
  return show("board.modes", render_modes);
}
Outcome<void> Commands::board_sensors() {
  return show("board.sensors", render_sensors);
}

Outcome<void> Commands::board_doctor() {
  auto client = RpcClient::connect(options_.socket);
  if (!client) return fails(with_way_out(std::move(client).error()));
  auto report = client->call("board.doctor");
  if (!report) return fails(with_way_out(std::move(report).error()));
  print(*report, render_report);
  if (report->is_object() && report->value("fit", Json()) == true) return {};
  return fails(Failure{});  // the report says why
}

}  // namespace fulcrum::cli
