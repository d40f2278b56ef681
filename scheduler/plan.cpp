#include "scheduler/plan.h"

#include "common/json_integer.h"

namespace fulcrum::scheduler {

namespace {

Json to_json(const StepTime& t) {
  return {{"batch_size", t.batch_size}, {"p50_ms", t.p50_ms}, {"p99_ms", t.p99_ms}};
}

StepTime step_time_from(const Json& json) {
  return {integer_from<int>(json.at("batch_size")), json.at("p50_ms").get<double>(),
          json.at("p99_ms").get<double>()};
}

Json to_json(const InferenceShare& share) {
  Json times = Json::array();
  for (const auto& t : share.step_times)
    times.push_back(to_json(t));
  Json json{{"job", share.job},
            {"name", share.name},
            {"batch_size", share.batch_size},
            {"arrival_rate_hz", share.arrival_rate_hz},
            {"window_ms", share.window_ms},
            {"latency_budget_ms", share.latency_budget_ms},
            {"expected_latency_ms", share.expected_latency_ms},
            {"step_p99_ms", step_time_for(share.step_times, share.batch_size).p99_ms},
            {"step_times", std::move(times)}};
  if (!share.warning.empty()) json["warning"] = share.warning;
  return json;
}

InferenceShare inference_share_from(const Json& json) {
  InferenceShare share;
  share.job = integer_from<JobId>(json.at("job"));
  share.name = json.at("name").get<std::string>();
  share.batch_size = integer_from<int>(json.at("batch_size"));
  share.arrival_rate_hz = json.at("arrival_rate_hz").get<double>();
  share.window_ms = json.at("window_ms").get<double>();
  share.latency_budget_ms = json.at("latency_budget_ms").get<double>();
  share.expected_latency_ms = json.at("expected_latency_ms").get<double>();
  for (const auto& t : json.at("step_times"))
    share.step_times.push_back(step_time_from(t));
  share.warning = json.value("warning", "");
  return share;
}

Json to_json(const TrainingShare& share) {
  Json json{{"job", share.job},
            {"name", share.name},
            {"step_p99_ms", share.step_time.p99_ms},
            {"step_time", to_json(share.step_time)}};
  if (!share.warning.empty()) json["warning"] = share.warning;
  return json;
}

TrainingShare training_share_from(const Json& json) {
  return {integer_from<JobId>(json.at("job")), json.at("name").get<std::string>(),
          step_time_from(json.at("step_time")), json.value("warning", "")};
}

std::optional<double> optional_from(const Json& json, const char* name) {
  if (!json.contains(name)) return std::nullopt;
  return json.at(name).get<double>();
}

Plan plan_from(const Json& json) {
  Plan plan;
  plan.policy = json.at("policy").get<std::string>();
  if (const auto& mode = json.at("mode"); !mode.is_null()) {
    plan.mode = PowerMode{
        integer_from<int>(mode.at("cpu_cores")), integer_from<std::int64_t>(mode.at("cpu_khz")),
        integer_from<std::int64_t>(mode.at("gpu_hz")), integer_from<std::int64_t>(mode.at("emc_hz"))};
  }
  plan.mode_name = json.value("mode_name", "");
  for (const auto& share : json.at("inference"))
    plan.inference.push_back(inference_share_from(share));
  for (const auto& share : json.at("training"))
    plan.training.push_back(training_share_from(share));
  plan.margin_ms = json.at("margin_ms").get<double>();
  plan.window_ms = json.at("window_ms").get<double>();
  if (const auto& tau = json.at("training_per_window"); !tau.is_null())
    plan.training_per_window = integer_from<int>(tau);
  plan.expected_train_minibatches_per_s = json.at("expected_train_minibatches_per_s").get<double>();
  plan.power_budget_w = optional_from(json, "power_budget_w");
  plan.expected_power_w = optional_from(json, "expected_power_w");
  if (json.contains("notes")) plan.notes = json.at("notes").get<std::vector<std::string>>();
  return plan;
}

}  // namespace

const StepTime& step_time_for(const std::vector<StepTime>& times, int n) {
  for (const auto& t : times) {
    if (t.batch_size >= n) return t;
  }
  return times.back();
}

Json Plan::to_json() const {
  Json inference_json = Json::array();
  for (const auto& share : inference)
    inference_json.push_back(scheduler::to_json(share));
  Json training_json = Json::array();
  for (const auto& share : training)
    training_json.push_back(scheduler::to_json(share));
  Json json{{"policy", policy},
            {"mode", mode ? mode->to_json() : Json()},
            {"inference", std::move(inference_json)},
            {"training", std::move(training_json)},
            {"margin_ms", margin_ms},
            {"window_ms", window_ms},
            {"training_per_window", training_per_window ? Json(*training_per_window) : Json()},
            {"expected_train_minibatches_per_s", expected_train_minibatches_per_s}};
  if (power_budget_w) json["power_budget_w"] = *power_budget_w;
  if (expected_power_w) json["expected_power_w"] = *expected_power_w;
  if (!notes.empty()) json["notes"] = notes;
  if (!mode_name.empty()) json["mode_name"] = mode_name;
  return json;
}

Expected<Plan> Plan::from_json(const Json& json) {
  try {
    Plan plan = plan_from(json);
    for (const auto& share : plan.inference) {
      if (share.step_times.empty() || share.batch_size < 1) {
        return fail(ErrorCode::invalid_argument, "plan: an inference share without step times or batch size");
      }
    }
    return plan;
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, std::string("plan: ") + e.what());
  }
}

}  // namespace fulcrum::scheduler
