#include "powermode/power_mode.h"

#include <fmt/format.h>

#include <utility>

#include "common/json_fields.h"

namespace fulcrum {

namespace {

constexpr Interval kCores = Interval::between(1, 4096);
constexpr Interval kClocks = Interval::between(1, 1e15);

}  // namespace

std::string PowerMode::to_string() const {
  return fmt::format("{} core{}, CPU {:g} MHz, GPU {:g} MHz, EMC {:g} MHz", cpu_cores,
                     cpu_cores == 1 ? "" : "s", static_cast<double>(cpu_khz) / 1e3,
                     static_cast<double>(gpu_hz) / 1e6, static_cast<double>(emc_hz) / 1e6);
}

Json PowerMode::to_json() const {
  return {{"cpu_cores", cpu_cores}, {"cpu_khz", cpu_khz}, {"gpu_hz", gpu_hz}, {"emc_hz", emc_hz}};
}

Expected<PowerMode> PowerMode::from_json(const Json& json) {
  std::vector<Error> faults;
  if (const auto mode = read(json, "", faults)) return *mode;
  return in_context(std::move(faults.front()), "reading a power mode");
}

std::optional<PowerMode> PowerMode::read(const Json& json, const std::string& pointer,
                                         std::vector<Error>& faults) {
  constexpr auto kRequired = JsonFields::Need::required;
  const auto before = faults.size();
  PowerMode mode;
  JsonFields fields(json, pointer, faults);
  fields.read("cpu_cores", mode.cpu_cores, kCores, kRequired);
  fields.read("cpu_khz", mode.cpu_khz, kClocks, kRequired);
  fields.read("gpu_hz", mode.gpu_hz, kClocks, kRequired);
  fields.read("emc_hz", mode.emc_hz, kClocks, kRequired);
  fields.finish();
  if (faults.size() != before) return std::nullopt;
  return mode;
}

}  // namespace fulcrum
