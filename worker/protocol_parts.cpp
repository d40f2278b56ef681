#include "worker/protocol_parts.h"

#include <stdexcept>
#include <utility>

#include "common/json_integer.h"

namespace fulcrum::worker {

using scheduler::StepTime;

Json to_json(const Error& error) {
  return {{"code", static_cast<int>(error.code)},
          {"message", error.message},
          {"hint", error.hint},
          {"field", error.field},
          {"context", error.context}};
}

Error error_from(const Json& json) {
  Error error;
  const int code = integer_from<int>(json.at("code"));
  error.code = code >= 0 && code <= static_cast<int>(ErrorCode::internal) ? static_cast<ErrorCode>(code)
                                                                          : ErrorCode::internal;
  error.message = json.at("message").get<std::string>();
  error.hint = json.at("hint").get<std::string>();
  error.field = json.at("field").get<std::string>();
  error.context = json.at("context").get<std::vector<std::string>>();
  return error;
}

JobSpec spec_from(const Json& json) {
  auto spec = JobSpec::from_json(json);
  if (!spec) throw std::invalid_argument("spec: " + spec.error().front().to_string());
  return std::move(*spec);
}

Json step_times_json(const std::vector<StepTime>& times) {
  Json json = Json::array();
  for (const auto& t : times)
    json.push_back(Json::array({t.batch_size, t.p50_ms, t.p99_ms}));
  return json;
}

namespace {

// What a planner reckons with, from a process that may not be itself any more.
void check_step_times(const std::vector<StepTime>& times) {
  int previous = 0;
  for (const auto& t : times) {
    if (t.batch_size <= previous)
      throw std::invalid_argument("step times whose batch sizes do not ascend from 1");
    if (!(t.p50_ms >= 0 && t.p99_ms >= t.p50_ms))
      throw std::invalid_argument("step times that are no percentiles");
    previous = t.batch_size;
  }
}

}  // namespace

std::vector<StepTime> step_times_from(const Json& json) {
  std::vector<StepTime> times;
  for (const auto& t : json)
    times.push_back({integer_from<int>(t.at(0)), t.at(1).get<double>(), t.at(2).get<double>()});
  check_step_times(times);
  return times;
}

std::optional<double> optional_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

Json entries_json(const std::vector<PaceEntry>& entries) {
  Json json = Json::array();
  for (const auto& e : entries)
    json.push_back(Json::array({e.batch_size, e.mode_ms, e.maxn_ms}));
  return json;
}

std::vector<PaceEntry> entries_from(const Json& json) {
  std::vector<PaceEntry> entries;
  for (const auto& e : json)
    entries.push_back({integer_from<int>(e.at(0)), e.at(1).get<double>(), e.at(2).get<double>()});
  if (entries.empty()) throw std::invalid_argument("a pace without entries");
  return entries;
}

Json pace_json(const std::optional<Pace>& pace) {
  if (!pace) return nullptr;
  return {{"entries", entries_json(pace->entries)}, {"kappa", json_or_null(pace->kappa)}};
}

std::optional<Pace> pace_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Pace{entries_from(json.at("entries")), optional_from(json.at("kappa"))};
}

Json probe_json(const std::optional<ProbeOrder>& probe) {
  if (!probe) return nullptr;
  return {{"job", probe->job}, {"batch_size", probe->batch_size}, {"step_bound_ms", probe->step_bound_ms}};
}

std::optional<ProbeOrder> probe_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return ProbeOrder{integer_from<JobId>(json.at("job")), integer_from<int>(json.at("batch_size")),
                    json.at("step_bound_ms").get<double>()};
}

Json served_json(const std::optional<ServedJob>& served) {
  if (!served) return nullptr;
  return {
      {"job", served->job}, {"checkpoint_directory", served->checkpoint_directory}, {"gated", served->gated}};
}

std::optional<ServedJob> served_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return ServedJob{integer_from<JobId>(json.at("job")), json.at("checkpoint_directory").get<std::string>(),
                   json.at("gated").get<bool>()};
}

Json slice_json(const DeviceSlice& slice) {
  return Json::array({slice.job, slice.batch_size, slice.probe, slice.started_ns, slice.ended_ns,
                      scheduler::to_string(slice.reason), slice.queued, slice.device_ms});
}

DeviceSlice slice_from(const Json& json) {
  const auto reason = scheduler::slice_reason_from(json.at(5).get<std::string>());
  if (!reason) throw std::invalid_argument("a slice with no known reason");
  return {integer_from<JobId>(json.at(0)),
          integer_from<int>(json.at(1)),
          json.at(2).get<bool>(),
          integer_from<std::int64_t>(json.at(3)),
          integer_from<std::int64_t>(json.at(4)),
          *reason,
          integer_from<int>(json.at(6)),
          json.at(7).get<double>()};
}

}  // namespace fulcrum::worker
