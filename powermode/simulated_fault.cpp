#include "powermode/simulated_fault.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "common/suggest.h"

namespace fulcrum {

namespace {

struct ErrorName {
  const char* name;
  int number;
};
constexpr ErrorName kErrors[] = {{"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBUSY", EBUSY},
                                 {"EINVAL", EINVAL}, {"EIO", EIO},       {"ENODATA", ENODATA},
                                 {"ENODEV", ENODEV}, {"ENOENT", ENOENT}, {"ENXIO", ENXIO},
                                 {"EPERM", EPERM},   {"ERANGE", ERANGE}, {"ETIMEDOUT", ETIMEDOUT}};

using Kind = SimulatedFault::Kind;
constexpr Kind kKinds[] = {Kind::write_error, Kind::ignore_write, Kind::read_error,
                           Kind::frozen,      Kind::block,        Kind::absent};

Expected<void> check_count(const SimulatedFault& fault) {
  if (!fault.count) return {};
  if (*fault.count < 1) return fail(ErrorCode::invalid_argument, "a fault that happens less than once");
  if (fault.kind == Kind::block || fault.kind == Kind::absent) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("a fault '{}' has no count: it lasts until it is cleared", to_string(fault.kind)));
  }
  return {};
}

}  // namespace

std::string_view to_string(SimulatedFault::Kind kind) {
  switch (kind) {
    case Kind::write_error:
      return "write_error";
    case Kind::ignore_write:
      return "ignore_write";
    case Kind::read_error:
      return "read_error";
    case Kind::frozen:
      return "frozen";
    case Kind::block:
      return "block";
    case Kind::absent:
      return "absent";
  }
  return "unknown";
}

Expected<SimulatedFault::Kind> parse_fault_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind kind : kKinds) {
    if (name == to_string(kind)) return kind;
    names.emplace_back(to_string(kind));
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown kind of fault '{}'", name),
              did_you_mean(name, names));
}

bool SimulatedFault::matches(const std::string& path) const {
  return pattern == path || ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
}

bool is_absent(const std::vector<SimulatedFault>& faults, const std::string& path) {
  return std::any_of(faults.begin(), faults.end(), [&path](const SimulatedFault& fault) {
    if (fault.kind != Kind::absent) return false;
    for (auto end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      if (fault.matches(path.substr(0, end))) return true;
    }
    return fault.matches(path);
  });
}

int SimulatedFault::error_number() const {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                   [this](const ErrorName& error) { return error_name == error.name; });
  return found == std::end(kErrors) ? EIO : found->number;
}

Expected<void> SimulatedFault::check() const {
  if (pattern.empty() || pattern.front() != '/') {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no absolute path or pattern", pattern));
  }
  FULCRUM_TRY(check_count(*this));
  const bool needs_error = kind == Kind::write_error || kind == Kind::read_error;
  if (!needs_error && !error_name.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("a fault '{}' has no error name", to_string(kind)));
  }
  std::vector<std::string> names;
  for (const auto& error : kErrors)
    names.emplace_back(error.name);
  if (needs_error && std::find(names.begin(), names.end(), error_name) == names.end()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("a fault '{}' needs an error name, not '{}'", to_string(kind), error_name),
                did_you_mean(error_name, names));
  }
  return {};
}

Json SimulatedFault::to_json() const {
  Json json{{"pattern", pattern}, {"kind", to_string(kind)}};
  if (!error_name.empty()) json["error"] = error_name;
  if (count) json["count"] = *count;
  if (!frozen.empty()) json["frozen"] = frozen;
  return json;
}

Expected<SimulatedFault> SimulatedFault::from_json(const Json& json) {
  try {
    SimulatedFault fault;
    fault.pattern = json.at("pattern").get<std::string>();
    FULCRUM_TRY_ASSIGN(kind, parse_fault_kind(json.at("kind").get<std::string>()));
    fault.kind = kind;
    fault.error_name = json.value("error", "");
    if (json.contains("count")) fault.count = json.at("count").get<int>();
    fault.frozen = json.value("frozen", fault.frozen);
    FULCRUM_TRY(fault.check());
    return fault;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, e.what());
  }
}

}  // namespace fulcrum
