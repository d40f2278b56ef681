#include "powermode/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "common/suggest.h"
#include "powermode/board_catalogue.h"
#include "powermode/node_paths.h"
#include "powermode/node_text.h"
#include "powermode/nvpmodel_output.h"

namespace fulcrum {

using powermode::level_below;
using powermode::parse_number;
using powermode::read_number;
using powermode::read_text;

namespace {

constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
constexpr const char* kMemory = "/proc/meminfo";

// What a chip that works can have; zones that are powered off say -256.
constexpr double kColdestC = -40;
constexpr double kHottestC = 150;

template <class T>
Expected<void> check_level(const char* knob, T value, const std::vector<T>& levels) {
  const auto above = std::lower_bound(levels.begin(), levels.end(), value);
  if (above != levels.end() && *above == value) return {};
  std::vector<T> nearest;
  if (above != levels.begin()) nearest.push_back(*std::prev(above));
  if (above != levels.end()) nearest.push_back(*above);
  auto failure = fail(ErrorCode::invalid_argument, fmt::format("{} has no level {}", knob, value),
                      fmt::format("nearest: {}; of {} levels from {} to {}", fmt::join(nearest, ", "),
                                  levels.size(), levels.front(), levels.back()));
  failure.value().field = fmt::format("/{}", knob);
  return failure;
}

Expected<std::int64_t> number_of(const std::string& path, const Expected<std::string>& answer) {
  if (!answer) return Unexpected(answer.error());
  auto value = parse_number(powermode::trimmed(*answer));
  if (!value) return in_context(std::move(value).error(), fmt::format("reading '{}'", path));
  return value;
}

// From the answers of the rail's nodes, past which `answer` then points.
Expected<double> power_of(const powermode::RailNodes& rail,
                          std::vector<Expected<std::string>>::const_iterator& answer) {
  const auto first = answer;
  answer += static_cast<std::ptrdiff_t>(rail.factors.size());
  double power_w = rail.watts_per_unit;
  for (std::size_t i = 0; i < rail.factors.size(); ++i) {
    FULCRUM_TRY_ASSIGN(factor, number_of(rail.factors[i], first[static_cast<std::ptrdiff_t>(i)]));
    power_w *= static_cast<double>(factor);
  }
  return power_w;
}

}  // namespace

Expected<std::unique_ptr<Board>> Board::discover(std::shared_ptr<FileTree> tree, BoardDescription description,
                                                 const Clock& clock) {
  const std::string doing = fmt::format("discovering the board '{}'", description.id);
  if (auto machine = check_machine(*tree, description); !machine)
    return in_context(std::move(machine).error(), doing);
  auto parts = powermode::find_parts(*tree, description);
  if (parts.blocked) return in_context(std::move(*parts.blocked), doing);
  return std::unique_ptr<Board>(new Board(std::move(tree), std::move(description), std::move(parts), clock));
}

PowerMode Board::highest_mode() const {
  return {levels().cpu_cores.back(), levels().cpu_khz.back(), levels().gpu_hz.back(), levels().emc_hz.back()};
}

PowerMode Board::lowest_mode() const {
  return {levels().cpu_cores.front(), levels().cpu_khz.front(), levels().gpu_hz.front(),
          levels().emc_hz.front()};
}

std::string Board::why_unreachable(const Preset& preset) const {
  return powermode::why_unreachable(*tree_, preset);
}

std::optional<int> Board::nvpmodel_status() const {
  const auto status = tree_->read(kNvpmodelStatus);
  if (!status) return std::nullopt;
  const auto id = parse_nvpmodel_status(*status);
  return id ? std::optional(*id) : std::nullopt;
}

const Preset* Board::requested_preset() const {
  const auto id = nvpmodel_status();
  const auto found = std::find_if(presets().begin(), presets().end(),
                                  [&](const Preset& preset) { return id && preset.nvpmodel_id == *id; });
  return found == presets().end() ? nullptr : &*found;
}

Expected<powermode::CustomNvpmodelMode> Board::custom_nvpmodel_mode(const PowerMode& mode) const {
  powermode::CustomNvpmodelMode custom;
  int online = 0;
  for (const auto& cluster : parts_.knobs.clusters) {
    for (const auto& cpu : cluster.cpus) {
      custom.online[cpu.number] = online++ < mode.cpu_cores;
      if (custom.online[cpu.number]) custom.cpu_khz[cpu.number] = mode.cpu_khz;
    }
  }
  custom.gpu_hz = mode.gpu_hz;
  custom.emc_hz = mode.emc_hz;
  for (const auto& preset : presets()) {
    for (const auto& [path, mask] : preset.gating_masks) {
      FULCRUM_TRY_ASSIGN(live, read_number(*tree_, path));
      custom.gating_masks[path] = live;
    }
  }
  return custom;
}

Expected<PowerMode> Board::mode_named(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& preset : presets()) {
    names.push_back(preset.name);
    if (preset.name != name) continue;
    const auto why_not = why_unreachable(preset);
    if (why_not.empty()) return preset.mode;
    return fail(
        ErrorCode::unsupported, fmt::format("the power mode '{}' needs a reboot: {}", name, why_not),
        fmt::format("set it with nvpmodel and let the board reboot; or give its clocks as four knobs: "
                    "{{cpu_cores: {}, cpu_khz: {}, gpu_hz: {}, emc_hz: {}}}",
                    preset.mode.cpu_cores, preset.mode.cpu_khz, preset.mode.gpu_hz, preset.mode.emc_hz));
  }
  return fail(ErrorCode::not_found, fmt::format("the board '{}' has no power mode '{}'", id(), name),
              did_you_mean(name, names));
}

Expected<void> Board::check(const PowerMode& mode) const {
  FULCRUM_TRY(check_level("cpu_cores", mode.cpu_cores, levels().cpu_cores));
  FULCRUM_TRY(check_level("cpu_khz", mode.cpu_khz, levels().cpu_khz));
  FULCRUM_TRY(check_level("gpu_hz", mode.gpu_hz, levels().gpu_hz));
  return check_level("emc_hz", mode.emc_hz, levels().emc_hz);
}

Expected<PowerMode> Board::read_mode() const {
  PowerMode mode;
  for (const auto& cluster : parts_.knobs.clusters) {
    int online = 0;
    for (const auto& cpu : cluster.cpus) {
      if (cpu.number == 0) {
        ++online;
        continue;
      }
      FULCRUM_TRY_ASSIGN(state, read_number(*tree_, cpu.online));
      online += state == 1 ? 1 : 0;
    }
    mode.cpu_cores += online;
    if (online == 0) continue;
    FULCRUM_TRY_ASSIGN(khz, read_number(*tree_, cluster.limits.max));
    mode.cpu_khz = std::max(mode.cpu_khz, khz);
  }
  FULCRUM_TRY_ASSIGN(gpu_hz, read_number(*tree_, parts_.knobs.gpu.limits.max));
  FULCRUM_TRY_ASSIGN(emc_hz, read_emc_hz());
  mode.gpu_hz = gpu_hz == 0 ? levels().gpu_hz.back() : gpu_hz;  // to devfreq 0 is no limit
  mode.emc_hz = emc_hz;
  return mode;
}

bool Board::reads_as(const PowerMode& read, const PowerMode& preset) const {
  const auto close = [](auto found, auto wanted, const auto& levels) {
    const auto above = std::upper_bound(levels.begin(), levels.end(), wanted);
    return found == wanted || (found > wanted && above != levels.end() && found <= *above);
  };
  return read.cpu_cores == preset.cpu_cores && close(read.cpu_khz, preset.cpu_khz, levels().cpu_khz) &&
         close(read.gpu_hz, preset.gpu_hz, levels().gpu_hz) &&
         close(read.emc_hz, preset.emc_hz, levels().emc_hz);
}

// The rate it is locked at; else the highest that it may take.
Expected<std::int64_t> Board::read_emc_hz() const {
  const auto& emc = parts_.knobs.emc;
  if (!emc.controllable()) return levels().emc_hz.back();
  FULCRUM_TRY_ASSIGN(locked, read_number(*tree_, emc.lock));
  if (locked == 1) return read_number(*tree_, emc.rate);
  FULCRUM_TRY_ASSIGN(cap, read_text(*tree_, emc.cap));
  // Some programs write 2^64 - 1 or the like for "no cap".
  const auto hz = parse_number(cap);
  if (!hz || *hz <= 0) return emc.cap_effective ? levels().emc_hz.front() : levels().emc_hz.back();
  return level_below<std::int64_t>(levels().emc_hz, *hz);
}

Expected<PowerSample> Board::read_power() const {
  const auto& rails = parts_.power.rails;
  std::vector<std::string> paths;
  for (const auto& rail : rails)
    paths.insert(paths.end(), rail.factors.begin(), rail.factors.end());
  const auto answers = sensors_.read(paths);
  PowerSample sample;
  auto answer = answers.begin();
  for (std::size_t i = 0; i < rails.size(); ++i) {
    auto power_w = power_of(rails[i], answer);
    const auto& total = parts_.power.total;
    const bool counts = std::find(total.begin(), total.end(), i) != total.end();
    if (!power_w && counts)
      return in_context(std::move(power_w).error(), fmt::format("measuring rail {}", rails[i].label));
    if (!power_w) continue;
    sample.rails.push_back({rails[i].label, *power_w});
    if (counts) sample.total_w += *power_w;
  }
  sample.taken_at = clock_.now();
  if (sample.total_w <= 0) {
    return fail(ErrorCode::unavailable, "the power sensors show 0 W, which a running board cannot draw",
                "are their channels enabled (in*_enable)?");
  }
  return sample;
}

Expected<std::int64_t> Board::read_sensor(const std::string& path) const {
  return number_of(path, sensors_.read({path}).front());
}

std::optional<double> Board::read_temperature_c() const {
  const auto& paths = parts_.temperatures;
  const auto answers = sensors_.read(paths);
  std::optional<double> hottest_c;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto millidegrees = number_of(paths[i], answers[i]);
    if (!millidegrees) continue;
    const double degrees_c = static_cast<double>(*millidegrees) / 1e3;
    if (degrees_c < kColdestC || degrees_c > kHottestC) continue;
    hottest_c = std::max(hottest_c.value_or(degrees_c), degrees_c);
  }
  return hottest_c;
}

Expected<std::vector<ThrottleCount>> Board::read_throttle_counts() const {
  std::vector<ThrottleCount> counts;
  for (const auto& counter : parts_.throttle_counters) {
    const auto events = read_sensor(counter.path);
    if (!events) return in_context(events.error(), "counting throttle events");
    if (*events < 0)
      return fail(ErrorCode::corrupt, fmt::format("'{}' counts {} throttle events", counter.path, *events));
    counts.push_back({counter.cause, *events, counter.momentary});
  }
  return counts;
}

Expected<std::optional<std::int64_t>> Board::read_throttle_events() const {
  FULCRUM_TRY_ASSIGN(counts, read_throttle_counts());
  if (counts.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const auto& count : counts) {
    if (count.momentary) continue;
    if (count.events > std::numeric_limits<std::int64_t>::max() - sum)
      return fail(ErrorCode::corrupt, fmt::format("{} throttle events and {} more", sum, count.events));
    sum += count.events;
  }
  return sum;
}

std::optional<double> Board::read_cpu_slowdown() const {
  std::optional<double> most;
  for (const auto& cluster : parts_.knobs.clusters) {
    const auto policy = powermode::directory_of(cluster.limits.max);
    const auto set = read_sensor(policy + "/scaling_cur_freq");
    const auto measured = read_sensor(policy + "/cpuinfo_cur_freq");
    if (!set || !measured || *set <= 0) continue;
    const double lost = 1 - static_cast<double>(*measured) / static_cast<double>(*set);
    most = std::max(most.value_or(0), std::clamp(lost, 0.0, 1.0));
  }
  return most;
}

std::optional<double> Board::read_gpu_slowdown() const {
  const auto& limits = parts_.knobs.gpu.limits;
  const auto min = read_number(*tree_, limits.min);
  const auto max = read_number(*tree_, limits.max);
  const auto runs_at = read_sensor(powermode::directory_of(limits.max) + "/cur_freq");
  if (!min || !max || !runs_at || *min != *max || *max <= 0) return std::nullopt;
  return std::clamp(1 - static_cast<double>(*runs_at) / static_cast<double>(*max), 0.0, 1.0);
}

Expected<std::optional<double>> Board::read_gpu_load() const {
  if (parts_.gpu_load.empty()) return std::nullopt;
  FULCRUM_TRY_ASSIGN(thousandths, read_sensor(parts_.gpu_load));
  if (thousandths < 0 || thousandths > 1000)
    return fail(ErrorCode::corrupt, fmt::format("'{}' says {}, not 0 to 1000", parts_.gpu_load, thousandths));
  return static_cast<double>(thousandths) / 1000;
}

Expected<BoardMemory> Board::read_memory() const {
  FULCRUM_TRY_ASSIGN(text, tree_->read(kMemory));
  const auto bytes_of = [&text = text](std::string_view key) -> Expected<std::int64_t> {
    const auto at = text.find(key);
    const auto numbers = at == std::string::npos
                             ? std::vector<std::int64_t>()
                             : powermode::numbers_in(std::string_view(text).substr(at + key.size(), 40));
    if (numbers.empty() || numbers.front() < 0)
      return fail(ErrorCode::corrupt, fmt::format("'{}' tells no {}", kMemory, key));
    return numbers.front() * 1024;
  };
  FULCRUM_TRY_ASSIGN(total, bytes_of("MemTotal:"));
  FULCRUM_TRY_ASSIGN(available, bytes_of("MemAvailable:"));
  return BoardMemory{total, available};
}

Expected<std::string> Board::boot_id() const {
  return read_text(*tree_, kBootId);
}

}  // namespace fulcrum
