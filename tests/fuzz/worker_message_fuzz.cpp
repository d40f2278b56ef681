// A line between fulcrumd and fulcrum-worker, read by either end.

#include <string>
#include <variant>
#include <vector>

#include "tests/fuzz/promise.h"
#include "worker/protocol.h"

namespace {

using namespace fulcrum::worker;
using fulcrum::fuzz::promise;

void check_step_times(const std::vector<fulcrum::scheduler::StepTime>& times) {
  int previous = 0;
  for (const auto& time : times) {
    promise(time.batch_size > previous, "step times ascend by batch size");
    promise(time.p50_ms >= 0 && time.p99_ms >= time.p50_ms, "step times are percentiles");
    previous = time.batch_size;
  }
}

// What the daemon plans with.
void check_content(const FromWorker& message) {
  if (const auto* ready = std::get_if<JobReady>(&message)) {
    promise(!ready->step_times.empty(), "a job that is ready knows its step times");
    check_step_times(ready->step_times);
  }
  if (const auto* progress = std::get_if<JobProgress>(&message)) check_step_times(progress->step_times);
}

template <class Parse>
void survives(std::string_view line, const Parse& parse) {
  const auto message = parse(line);
  if (!message) return fulcrum::fuzz::promise_reason(message.error());
  const std::string printed = to_line(*message);
  promise(printed.find('\n') == printed.size() - 1, "a message is one line");
  promise(printed.size() <= kMaxMessageBytes, "a message stays below the limit");
  const auto again = parse(printed);
  promise(again && to_line(*again) == printed, "a message survives its line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto line = fulcrum::fuzz::as_text(data, size);
  survives(line, parse_to_worker);
  survives(line, parse_from_worker);
  if (const auto message = parse_from_worker(line)) check_content(*message);
  return 0;
}
