#include "powermode/simulated_sensors.h"

#include <cerrno>
#include <limits>

#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {
constexpr const char* kOff = "off";
}

int store_over_current(std::int64_t& events, std::string_view text) {
  const auto more = parse_number(trimmed(text));
  if (!more || *more < 1) return EINVAL;
  // The hardware's counter has 32 bits.
  if (*more > std::numeric_limits<std::uint32_t>::max() - events) return ERANGE;
  events += *more;
  return 0;
}

int store_temperature(std::optional<std::int64_t>& millidegrees, std::string_view text) {
  const std::string value = trimmed(text);
  if (value == kOff) {
    millidegrees.reset();
    return 0;
  }
  const auto parsed = parse_number(value);
  if (!parsed) return EINVAL;
  millidegrees = *parsed;
  return 0;
}

std::string format_temperature(std::optional<std::int64_t> millidegrees) {
  return millidegrees ? std::to_string(*millidegrees) : kOff;
}

}  // namespace fulcrum::powermode
