#include "profiler/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/json_fields.h"
#include "profiler/fingerprint.h"

namespace fulcrum::profiler {

namespace {

using Faults = std::vector<Error>;

constexpr std::size_t kLongestBoardId = 64;
constexpr Interval kBatchSizes = Interval::between(1, 4096);
constexpr Interval kCounts = Interval::between(1, 1e9);
constexpr Interval kTimesMs = Interval::above(0, 1e9);
constexpr Interval kDeviationsMs = Interval::between(0, 1e9);
constexpr Interval kPowersW = Interval::above(0, 1e4);
constexpr Interval kTemperaturesC = Interval::between(-100, 200);
constexpr Interval kShares = Interval::above(0, 1);
constexpr Interval kWallMs = Interval::between(0, 1e15);
constexpr Interval kCostsS = Interval::between(0, 1e9);

void read_board_id(JsonFields& fields, std::string& into) {
  std::string id;
  if (!fields.read("board", id, JsonFields::Need::required)) return;
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7f; };
  if (id.empty() || id.size() > kLongestBoardId || !std::all_of(id.begin(), id.end(), is_plain)) {
    fields.fault("board", ErrorCode::invalid_argument,
                 fmt::format("must be 1 to {} plain characters without blanks", kLongestBoardId),
                 "such as \"agx-orin\"");
    return;
  }
  into = std::move(id);
}

void read_fingerprint(JsonFields& fields, std::string& into) {
  std::string fingerprint;
  if (!fields.read("workload", fingerprint, JsonFields::Need::required)) return;
  if (!is_fingerprint(fingerprint)) {
    fields.fault("workload", ErrorCode::invalid_argument, "must be 16 hexadecimal digits, in lower case");
    return;
  }
  into = std::move(fingerprint);
}

void read_task(JsonFields& fields, WorkloadTask& into) {
  std::string name;
  if (!fields.read_choice("task", name, {"training", "inference"}, {}, JsonFields::Need::required)) return;
  into = *parse_workload_task(name);
}

void read_time(JsonFields& parent, TimeStatistics& time) {
  auto fields = parent.object("time_ms", JsonFields::Need::required);
  if (!fields) return;
  const bool p50 = fields->read("p50", time.p50_ms, kTimesMs, JsonFields::Need::required);
  const bool p99 = fields->read("p99", time.p99_ms, kTimesMs, JsonFields::Need::required);
  fields->read("mean", time.mean_ms, kTimesMs, JsonFields::Need::required);
  fields->read("stddev", time.stddev_ms, kDeviationsMs, JsonFields::Need::required);
  if (p50 && p99 && time.p50_ms > time.p99_ms) {
    fields->fault("p99", ErrorCode::invalid_argument,
                  fmt::format("is {}, which is below the median {}", time.p99_ms, time.p50_ms));
  }
  fields->finish();
}

}  // namespace

Json to_json(const TimeStatistics& time) {
  return {{"p50", time.p50_ms}, {"p99", time.p99_ms}, {"mean", time.mean_ms}, {"stddev", time.stddev_ms}};
}

Json MeasurementKey::to_json() const {
  return {{"board", board_id},
          {"workload", fingerprint},
          {"task", std::string(to_string(task))},
          {"mode", mode.to_json()},
          {"batch_size", batch_size}};
}

Json Measurement::to_json() const {
  Json json = key.to_json();
  json["minibatches"] = minibatches;
  json["time_ms"] = profiler::to_json(time);
  json["power_w"] = power_w;
  if (temperature_c) json["temperature_c"] = *temperature_c;
  if (foreign_gpu_load) json["foreign_gpu_load"] = *foreign_gpu_load;
  json["measured_at_ms"] = measured_at_ms;
  json["cost_s"] = cost_s;
  return json;
}

tl::expected<Measurement, Faults> Measurement::from_json(const Json& json) {
  Faults faults;
  if (auto measurement = read(json, "", faults)) return *std::move(measurement);
  return tl::unexpected(std::move(faults));
}

std::optional<Measurement> Measurement::read(const Json& json, const std::string& pointer, Faults& faults) {
  const auto before = faults.size();
  Measurement found;
  JsonFields fields(json, pointer, faults);
  read_board_id(fields, found.key.board_id);
  read_fingerprint(fields, found.key.fingerprint);
  read_task(fields, found.key.task);
  if (const Json* mode = fields.find("mode", JsonFields::Need::required)) {
    found.key.mode = PowerMode::read(*mode, pointer + "/mode", faults).value_or(PowerMode{});
  }
  fields.read("batch_size", found.key.batch_size, kBatchSizes, JsonFields::Need::required);
  fields.read("minibatches", found.minibatches, kCounts, JsonFields::Need::required);
  read_time(fields, found.time);
  fields.read("power_w", found.power_w, kPowersW, JsonFields::Need::required);
  double temperature_c = 0;
  if (fields.read("temperature_c", temperature_c, kTemperaturesC)) found.temperature_c = temperature_c;
  double foreign = 0;
  if (fields.read("foreign_gpu_load", foreign, kShares)) found.foreign_gpu_load = foreign;
  fields.read("measured_at_ms", found.measured_at_ms, kWallMs, JsonFields::Need::required);
  fields.read("cost_s", found.cost_s, kCostsS, JsonFields::Need::required);
  fields.finish();
  if (faults.size() != before) return std::nullopt;
  return found;
}

}  // namespace fulcrum::profiler
