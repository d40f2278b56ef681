#include "powermode/nvpmodel_program.h"

#include <fmt/format.h>

#include <utility>

#include "powermode/foreign_program.h"

namespace fulcrum {

using powermode::run_foreign_program;

Expected<NvpmodelQuery> NvpmodelProgram::query() const {
  FULCRUM_TRY_ASSIGN(run, run_foreign_program({path_, "-q"}, time_limit_));
  auto query = parse_nvpmodel_query(run.output);
  if (!query) return in_context(std::move(query).error(), fmt::format("asking '{}'", path_));
  return query;
}

Expected<void> NvpmodelProgram::set(int mode_id) const {
  if (!conf_.empty()) return set(conf_, mode_id);
  return run_to_set({"-m", std::to_string(mode_id)});
}

Expected<void> NvpmodelProgram::set(const std::string& conf_path, int mode_id) const {
  return run_to_set({"-f", conf_path, "-m", std::to_string(mode_id)});
}

Expected<void> NvpmodelProgram::run_to_set(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), path_);
  FULCRUM_TRY_ASSIGN(run, run_foreign_program(arguments, time_limit_));
  const auto judged = judge_nvpmodel_run(run.output, run.exit_status);
  const auto attempt = fmt::format("setting a power mode with '{}': {}", path_, judged.reason);
  switch (judged.outcome) {
    case NvpmodelOutcome::accepted:
      return {};
    case NvpmodelOutcome::needs_reboot:
      return fail(ErrorCode::unsupported, attempt,
                  "set it by hand with nvpmodel, and let the board reboot when it suits you");
    case NvpmodelOutcome::ignored:
      return fail(ErrorCode::unsupported, attempt, "run fulcrumd outside the container");
    case NvpmodelOutcome::rebooting:
      return fail(ErrorCode::busy, attempt);
    case NvpmodelOutcome::failed:
      break;
  }
  return fail(ErrorCode::io, attempt);
}

}  // namespace fulcrum
