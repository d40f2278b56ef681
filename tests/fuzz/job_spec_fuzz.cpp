// Text to JSON to JobSpec, and back.

#include <algorithm>

#include "common/job_spec.h"
#include "common/json_text.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum;
using fuzz::promise;

void check_spec(const JobSpec& spec) {
  const auto sizes = spec.batch_sizes();
  promise(!sizes.empty() && sizes.front() >= 1, "a job has batch sizes, all above 0");
  promise(std::is_sorted(sizes.begin(), sizes.end()), "batch sizes ascend");
  for (const auto& file : spec.input_files()) {
    promise(!file.path.empty() && file.path.front() == '/', "paths are absolute");
    promise(file.path.find('\0') == std::string::npos, "paths have no zero byte");
  }
  const Json json = spec.to_json();
  const auto again = parse_json(to_line(json));
  promise(again && *again == json, "a spec's JSON survives its text");
  const auto back = JobSpec::from_json(*again);
  promise(back && back->to_json() == json, "a spec survives its JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = parse_json(fuzz::as_text(data, size));
  if (!json) {
    fuzz::promise_reason(json.error());
    return 0;
  }
  const std::string line = to_line(*json);
  promise(line.find('\n') == std::string::npos, "JSON is printed on one line");
  const auto again = parse_json(line);
  promise(again && *again == *json, "JSON survives its text");

  const auto spec = JobSpec::from_json(*json);
  if (spec) {
    check_spec(*spec);
  } else {
    promise(!spec.error().empty(), "a refused spec has faults");
    for (const auto& fault : spec.error()) {
      fuzz::promise_reason(fault);
      promise(fault.field.empty() || fault.field.front() == '/', "a fault's field is a JSON pointer");
    }
  }
  return 0;
}
