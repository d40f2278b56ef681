// Whatever a program that calls itself nvpmodel may say.

#include <string>

#include "powermode/nvpmodel_output.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum;
using fuzz::promise;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  if (const auto query = parse_nvpmodel_query(text)) {
    promise(!query->mode_name.empty() && query->mode_id >= 0, "a mode has a name and an id");
  } else {
    fuzz::promise_reason(query.error());
  }
  if (const auto status = parse_nvpmodel_status(text)) {
    promise(*status >= 0, "an id is no less than 0");
  } else {
    fuzz::promise_reason(status.error());
  }
  for (const int exit_status : {0, 255}) {
    const auto run = judge_nvpmodel_run(text, exit_status);
    promise((run.outcome == NvpmodelOutcome::accepted) == run.reason.empty(),
            "whatever is not accepted has a reason");
    promise(exit_status == 0 || run.outcome != NvpmodelOutcome::accepted, "a failure is not accepted");
  }
  return 0;
}
