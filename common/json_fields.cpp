#include "common/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/suggest.h"

namespace fulcrum {

namespace {

constexpr std::size_t kLongestQuote = 80;  // of the input, in a message
constexpr std::size_t kLongestPath = 4095;

std::string shown(const Json& json) {
  std::string text = to_line(json);
  if (text.size() > kLongestQuote) return json.type_name();
  return text;
}

Expected<void> check_path(const std::string& path) {
  if (path.empty() || path.front() != '/') {
    return fail(ErrorCode::invalid_argument, "an absolute path is needed", "fulcrumctl makes paths absolute");
  }
  if (path.size() > kLongestPath) {
    return fail(ErrorCode::invalid_argument, fmt::format("a path has at most {} bytes", kLongestPath));
  }
  if (path.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "a path cannot contain a zero byte");
  }
  return {};
}

bool one_of(const std::string& value, const std::vector<std::string>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool Interval::contains(double value) const {
  const bool above_low = low_excluded ? value > low : value >= low;
  const bool below_high = high_excluded ? value < high : value <= high;
  return above_low && below_high;
}

std::string Interval::to_string() const {
  return fmt::format("{} {} and {} {}", low_excluded ? "above" : "at least", low,
                     high_excluded ? "below" : "at most", high);
}

std::optional<int> whole_number(const Json& json, const Interval& range) {
  if (!json.is_number_integer()) return std::nullopt;
  const auto value = json.get<double>();  // exact in the range of int, and out of any range beyond it
  if (!range.contains(value) || value < std::numeric_limits<int>::min() ||
      value > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  return json.get<int>();
}

std::string pointer_step(const std::string& name) {
  std::string step = "/";
  for (const char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

JsonFields::JsonFields(const Json& json, std::string pointer, std::vector<Error>& faults)
    : object_(json.is_object() ? &json : nullptr), pointer_(std::move(pointer)), faults_(&faults) {
  if (object_ != nullptr) return;
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = fmt::format("must be an object, not {}", shown(json));
  error.field = pointer_;
  faults.push_back(std::move(error));
}

const Json* JsonFields::find(const std::string& name, Need need) {
  known_.push_back(name);
  if (object_ == nullptr) return nullptr;
  if (const auto it = object_->find(name); it != object_->end()) return &*it;
  if (need == Need::required) fault(name, ErrorCode::invalid_argument, "is missing");
  return nullptr;
}

bool JsonFields::read(const std::string& name, bool& into, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  if (!json->is_boolean()) {
    wrong_type(name, "true or false", *json);
    return false;
  }
  into = json->get<bool>();
  return true;
}

bool JsonFields::read(const std::string& name, std::string& into, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  if (!json->is_string()) {
    wrong_type(name, "a string", *json);
    return false;
  }
  into = json->get<std::string>();
  return true;
}

bool JsonFields::read(const std::string& name, std::uint64_t& into, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  const bool negative =
      json->is_number_integer() && !json->is_number_unsigned() && json->get<std::int64_t>() < 0;
  if (!json->is_number_integer() || negative) {
    wrong_type(name, "a whole number, 0 or more", *json);
    return false;
  }
  into = json->get<std::uint64_t>();
  return true;
}

bool JsonFields::read(const std::string& name, int& into, const Interval& range, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  const auto value = whole_number(*json, range);
  if (!value) {
    wrong_type(name, "a whole number, " + range.to_string(), *json);
    return false;
  }
  into = *value;
  return true;
}

bool JsonFields::read(const std::string& name, std::int64_t& into, const Interval& range, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  if (!json->is_number_integer() || !range.contains(json->get<double>())) {
    wrong_type(name, "a whole number, " + range.to_string(), *json);
    return false;
  }
  into = json->get<std::int64_t>();
  return true;
}

bool JsonFields::read(const std::string& name, double& into, const Interval& range, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  if (!json->is_number() || !std::isfinite(json->get<double>()) || !range.contains(json->get<double>())) {
    wrong_type(name, "a number " + range.to_string(), *json);
    return false;
  }
  into = json->get<double>();
  return true;
}

bool JsonFields::read_path(const std::string& name, std::string& into, Need need) {
  std::string path;
  if (!read(name, path, need)) return false;
  if (auto fit = check_path(path); !fit) {
    fault(name, fit.error().code, fit.error().message, fit.error().hint);
    return false;
  }
  into = std::move(path);
  return true;
}

bool JsonFields::read_paths(const std::string& name, std::vector<std::string>& into, std::size_t most,
                            Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return false;
  if (!json->is_array() || json->empty() || json->size() > most) {
    wrong_type(name, fmt::format("a list of 1 to {} paths", most), *json);
    return false;
  }
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < json->size(); ++i) {
    const Json& item = (*json)[i];
    const auto fit = item.is_string() ? check_path(item.get<std::string>())
                                      : fail(ErrorCode::invalid_argument, "an absolute path is needed");
    if (!fit) {
      fault(name, fit.error().code, fmt::format("item {}: {}", i, fit.error().message), fit.error().hint);
      return false;
    }
    paths.push_back(item.get<std::string>());
  }
  into = std::move(paths);
  return true;
}

bool JsonFields::read_choice(const std::string& name, std::string& into,
                             const std::vector<std::string>& choices, const std::vector<std::string>& later,
                             Need need) {
  std::string value;
  if (!read(name, value, need)) return false;
  if (one_of(value, choices)) {
    into = value;
    return true;
  }
  if (one_of(value, later)) {
    fault(name, ErrorCode::unsupported, fmt::format("'{}' is not supported in this version", value),
          fmt::format("supported: {}", fmt::join(choices, ", ")));
  } else {
    fault(name, ErrorCode::invalid_argument, fmt::format("unknown value {}", shown(value)),
          did_you_mean(value, choices));
  }
  return false;
}

std::optional<JsonFields> JsonFields::object(const std::string& name, Need need) {
  const Json* json = find(name, need);
  if (json == nullptr) return std::nullopt;
  return JsonFields(*json, pointer_ + pointer_step(name), *faults_);
}

void JsonFields::fault(const std::string& name, ErrorCode code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  error.field = pointer_ + pointer_step(name);
  faults_->push_back(std::move(error));
}

void JsonFields::finish() {
  if (object_ == nullptr) return;
  for (const auto& [name, value] : object_->items()) {
    if (!one_of(name, known_)) {
      fault(name, ErrorCode::invalid_argument, "unknown field", did_you_mean(name, known_));
    }
  }
}

void JsonFields::wrong_type(const std::string& name, const std::string& needed, const Json& found) {
  fault(name, ErrorCode::invalid_argument, fmt::format("must be {}, not {}", needed, shown(found)));
}

}  // namespace fulcrum
