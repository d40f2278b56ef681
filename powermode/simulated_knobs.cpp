#include "powermode/simulated_knobs.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>

namespace fulcrum::powermode {

namespace {

std::string_view without_newline(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text;
}

// As the kernel's kstrto*: digits, perhaps a newline; ERANGE above `highest`.
int parse_unsigned(std::string_view text, std::uint64_t highest, std::uint64_t& value) {
  text = without_newline(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::uint64_t parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::invalid_argument || stop != text.data() + text.size()) return EINVAL;
  if (error == std::errc::result_out_of_range || parsed > highest) return ERANGE;
  value = parsed;
  return 0;
}

// As kstrtobool, which looks at the first letter.
int parse_bool(std::string_view text, bool& value) {
  if (text.empty()) return EINVAL;
  switch (text.front()) {
    case '1':
    case 'y':
    case 'Y':
      value = true;
      return 0;
    case '0':
    case 'n':
    case 'N':
      value = false;
      return 0;
    default:
      return EINVAL;
  }
}

std::int64_t level_at_most(const std::vector<std::int64_t>& levels, std::int64_t value) {
  const auto above = std::upper_bound(levels.begin(), levels.end(), value);
  return above == levels.begin() ? levels.front() : *std::prev(above);
}

std::int64_t level_at_least(const std::vector<std::int64_t>& levels, std::int64_t value) {
  const auto at = std::lower_bound(levels.begin(), levels.end(), value);
  return at == levels.end() ? levels.back() : *at;
}

// A limit that is stored must not cross the other one where the kernel is strict.
int store_limit(const SimulatedHardware& hardware, SimulatedState::Range& range, bool is_min,
                std::int64_t value) {
  const std::int64_t min = is_min ? value : range.min;
  const std::int64_t max = is_min ? range.max : value;
  if (hardware.kernel.strict_limits() && min > max) return EINVAL;
  (is_min ? range.min : range.max) = value;
  return 0;
}

int store_cpu_khz(const SimulatedHardware& hardware, SimulatedState::Range& range, bool is_min,
                  std::string_view text) {
  std::uint64_t value = 0;
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  if (const int error = parse_unsigned(text, kMost, value); error != 0) return error;
  return store_limit(hardware, range, is_min, static_cast<std::int64_t>(value));
}

int store_gpu_hz(const SimulatedHardware& hardware, SimulatedState::Range& range, bool is_min,
                 std::string_view text) {
  std::uint64_t value = 0;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (const int error = parse_unsigned(text, kMost, value); error != 0) return error;
  const auto& levels = hardware.gpu.levels_hz;
  const auto none = is_min ? levels.front() : levels.back();
  return store_limit(hardware, range, is_min, value == 0 ? none : static_cast<std::int64_t>(value));
}

}  // namespace

int store_online(SimulatedState& state, int cpu, std::string_view text) {
  bool online = false;
  if (const int error = parse_bool(text, online); error != 0) return error;
  if (cpu == 0 && !online) return EPERM;
  state.cpu_online[static_cast<std::size_t>(cpu)] = online;
  return 0;
}

bool cluster_online(const SimulatedHardware& hardware, const SimulatedState& state, std::size_t cluster) {
  const auto& cpus = hardware.cpu.clusters[cluster];
  return std::any_of(cpus.begin(), cpus.end(),
                     [&](int cpu) { return state.cpu_online[static_cast<std::size_t>(cpu)]; });
}

int store_cpu_min_khz(const SimulatedHardware& hardware, SimulatedState::Range& request,
                      std::string_view text) {
  return store_cpu_khz(hardware, request, true, text);
}

int store_cpu_max_khz(const SimulatedHardware& hardware, SimulatedState::Range& request,
                      std::string_view text) {
  return store_cpu_khz(hardware, request, false, text);
}

Limits cpu_limits(const SimulatedHardware& hardware, const SimulatedState::Range& request) {
  const auto& levels = hardware.cpu.levels_khz;
  if (hardware.kernel.strict_limits())
    return {std::clamp(request.min, levels.front(), levels.back()),
            std::clamp(request.max, levels.front(), levels.back())};
  const std::int64_t max = level_at_most(levels, request.max);
  return {std::min(level_at_least(levels, request.min), max), max};
}

int store_governor(std::string& governor, std::string_view text, const std::vector<std::string>& known) {
  const auto it = std::find(known.begin(), known.end(), without_newline(text));
  if (it == known.end()) return EINVAL;
  governor = *it;
  return 0;
}

const std::vector<std::string>& cpu_governors() {
  static const std::vector<std::string> known{"performance", "powersave", "schedutil"};
  return known;
}

const std::vector<std::string>& gpu_governors() {
  static const std::vector<std::string> known{"nvhost_podgov", "performance", "powersave"};
  return known;
}

int store_gpu_min_hz(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text) {
  return store_gpu_hz(hardware, state.gpu, true, text);
}

int store_gpu_max_hz(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text) {
  return store_gpu_hz(hardware, state.gpu, false, text);
}

Limits gpu_limits(const SimulatedHardware& hardware, const SimulatedState::Range& request) {
  if (hardware.kernel.strict_limits()) return {request.min, request.max};
  const std::int64_t max = level_at_least(hardware.gpu.levels_hz, request.max);
  return {std::min(level_at_least(hardware.gpu.levels_hz, request.min), max), max};
}

int store_gpu_mask(SimulatedState& state, const std::string& name, std::string_view text) {
  std::uint64_t value = 0;
  if (const int error = parse_unsigned(text, std::numeric_limits<std::uint32_t>::max(), value); error != 0)
    return error;
  return state.gpu_masks[name] == static_cast<std::int64_t>(value) ? 0 : EBUSY;
}

int store_emc_cap(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text) {
  std::uint64_t value = 0;
  if (const int error = parse_unsigned(text, std::numeric_limits<std::uint64_t>::max(), value); error != 0)
    return error;
  if (hardware.emc.style == SimulatedHardware::EmcStyle::clk_cap) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    value = static_cast<std::uint64_t>(
        level_at_most(hardware.emc.levels_hz, static_cast<std::int64_t>(std::min(value, kMost))));
  }
  state.emc.cap = value;
  return 0;
}

std::uint64_t emc_cap(const SimulatedHardware& hardware, const SimulatedState& state) {
  const bool effective = hardware.emc.style == SimulatedHardware::EmcStyle::clk_cap;
  if (!effective || state.emc.cap != 0) return state.emc.cap;
  return static_cast<std::uint64_t>(hardware.emc.levels_hz.back());
}

int store_emc_locked(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text,
                     bool busy) {
  bool locked = false;
  if (const int error = parse_bool(text, locked); error != 0) return error;
  if (locked && !state.emc.locked) state.emc.rate = emc_rate(hardware, state, busy);
  state.emc.locked = locked;
  return 0;
}

int store_emc_enabled(SimulatedState& state, std::string_view text) {
  return parse_bool(text, state.emc.enabled);
}

int store_emc_rate(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text) {
  std::uint64_t value = 0;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (const int error = parse_unsigned(text, kMost, value); error != 0) return error;
  const auto& levels = hardware.emc.levels_hz;
  const auto rate = static_cast<std::int64_t>(value);
  if (state.emc.locked && std::binary_search(levels.begin(), levels.end(), rate)) state.emc.rate = rate;
  return 0;
}

std::int64_t emc_rate(const SimulatedHardware& hardware, const SimulatedState& state, bool busy) {
  const auto& levels = hardware.emc.levels_hz;
  const bool capped = state.emc.cap != 0 && state.emc.cap < static_cast<std::uint64_t>(levels.back());
  const std::int64_t cap =
      capped ? level_at_most(levels, static_cast<std::int64_t>(state.emc.cap)) : levels.back();
  return std::min(state.emc.locked ? state.emc.rate : (busy ? levels.back() : levels.front()), cap);
}

namespace {
std::int64_t clock_between(const std::vector<std::int64_t>& levels, Limits limits,
                           const std::string& governor, bool busy) {
  // On kernels that keep limits as written, the clock is at a level between them.
  limits.max = level_at_most(levels, limits.max);
  limits.min = std::min(level_at_least(levels, limits.min), limits.max);
  if (governor == "performance") return limits.max;
  if (governor == "powersave") return limits.min;
  return busy ? limits.max : limits.min;
}
}  // namespace

std::int64_t cpu_khz_now(const SimulatedHardware& hardware, const SimulatedState::Range& request, bool busy) {
  return clock_between(hardware.cpu.levels_khz, cpu_limits(hardware, request), request.governor, busy);
}

PowerMode running_at(const SimulatedHardware& hardware, const SimulatedState& state, bool busy) {
  PowerMode mode;
  std::int64_t sum_khz = 0;
  for (std::size_t cluster = 0; cluster < state.clusters.size(); ++cluster) {
    const std::int64_t khz = cpu_khz_now(hardware, state.clusters[cluster], busy);
    for (const int cpu : hardware.cpu.clusters[cluster]) {
      if (!state.cpu_online[static_cast<std::size_t>(cpu)]) continue;
      ++mode.cpu_cores;
      sum_khz += khz;
    }
  }
  mode.cpu_khz = sum_khz / mode.cpu_cores;
  mode.gpu_hz =
      clock_between(hardware.gpu.levels_hz, gpu_limits(hardware, state.gpu), state.gpu.governor, busy);
  mode.emc_hz = emc_rate(hardware, state, busy);
  return mode;
}

}  // namespace fulcrum::powermode
