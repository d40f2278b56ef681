// A line from the control socket through every method, over a control loop that only says yes.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/job_spec.h"
#include "daemon/rpc_error.h"
#include "daemon/rpc_methods.h"
#include "tests/fuzz/promise.h"
#include "tests/unit/daemon/fake_control.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::daemon;
using fuzz::promise;
using test::FakeControl;

Json parsed(const std::string& line) {
  promise(line.find('\n') == std::string::npos, "what is sent is one line");
  auto json = parse_json(line);
  promise(json.has_value(), "what is sent is JSON");
  return *std::move(json);
}

class Client final : public RpcPeer {
 public:
  void send_event(std::string line) override {
    const Json event = parsed(line);
    promise(event.at("method") == "job.event" && !event.contains("id"), "an event is a notification");
  }
};

void check_answer(const Json& answer) {
  promise(answer.is_object() && answer.value("jsonrpc", "") == "2.0", "an answer is one of JSON-RPC 2.0");
  promise(answer.contains("id"), "an answer has an id");
  promise(answer.contains("result") != answer.contains("error"), "an answer is a result or an error");
  if (!answer.contains("error")) return;
  const Json& error = answer.at("error");
  promise(error.at("code").is_number_integer(), "an error has a code");
  promise(error.at("code") != kInternalError, "no request is a defect of ours");
  promise(!error.at("message").get<std::string>().empty(), "an error has a message");
  promise(error.at("data").at("reason").is_string(), "an error has a reason");
}

// A control loop with one job, and the methods over it: made once, because schemas are dear to compile.
class Service {
 public:
  Service() {
    Json job = FakeControl::summary(1, "camera", "running");
    job["result"] = Json::object();
    control_.job_list.push_back(std::move(job));
    control_.first_events.push_back({{"job", 1}, {"event", "state"}, {"state", "running"}});
  }

  void serve(std::string_view line) {
    const auto client = std::make_shared<Client>();
    int answers = 0;
    dispatcher_.handle(line, client, [&answers](const std::optional<std::string>& text) {
      ++answers;
      if (text) check_answers(parsed(*text));
    });
    promise(answers == 1, "every line is answered once, or told that it needs no answer");

    control_.emit({{"job", 1}, {"event", "progress"}});
    promise(client->subscriptions() == control_.sinks.size(), "every subscription belongs to the client");
    client->end_subscriptions();
    promise(control_.sinks.empty(), "a client that goes takes its subscriptions along");
    check_submitted();
  }

 private:
  static void check_answers(const Json& answer) {
    if (!answer.is_array()) return check_answer(answer);
    promise(!answer.empty() && answer.size() <= RpcDispatcher::kMaxBatch,
            "a batch's answer is no empty list");
    for (const auto& one : answer)
      check_answer(one);
  }

  // What the schema lets pass is a spec, or its faults can be told.
  void check_submitted() {
    for (const auto& request : std::exchange(control_.submitted, {})) {
      const auto spec = JobSpec::from_json(request.spec);
      promise(spec || !spec.error().empty(), "a refused spec has faults");
    }
    control_.cancelled.clear();
  }

  FakeControl control_;
  RpcDispatcher dispatcher_ = make_dispatcher(control_).value();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Service service;
  service.serve(fuzz::as_text(data, size));
  return 0;
}
