#include "powermode/yaml_fields.h"

#include <algorithm>

#include "common/suggest.h"

namespace fulcrum::powermode {

void check_keys(const YAML::Node& map, const std::vector<std::string>& known) {
  if (!map.IsMap()) {
    throw YAML::RepresentationException(map.Mark(),
                                        fmt::format("expected a mapping with {}", fmt::join(known, ", ")));
  }
  for (const auto& entry : map) {
    const auto key = as<std::string>(entry.first, "key");
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw YAML::RepresentationException(entry.first.Mark(),
                                          fmt::format("unknown key '{}': {}", key, did_you_mean(key, known)));
    }
  }
}

YAML::Node required(const YAML::Node& map, const char* key) {
  const YAML::Node value = map.IsMap() ? map[key] : YAML::Node(YAML::NodeType::Undefined);
  if (!value.IsDefined() || value.IsNull()) {
    throw YAML::RepresentationException(map.Mark(), fmt::format("'{}' is missing", key));
  }
  return value;
}

YAML::Node required_list(const YAML::Node& map, const char* key) {
  YAML::Node value = required(map, key);
  if (!value.IsSequence() || value.size() == 0) {
    throw YAML::RepresentationException(value.Mark(), fmt::format("'{}' is not a list with entries", key));
  }
  return value;
}

std::vector<std::int64_t> ascending_field(const YAML::Node& map, const char* key) {
  const YAML::Node list = required_list(map, key);
  std::vector<std::int64_t> values;
  for (const auto& entry : list) {
    values.push_back(as<std::int64_t>(entry, key));
    if (values.back() <= (values.size() == 1 ? 0 : values[values.size() - 2])) {
      throw YAML::RepresentationException(entry.Mark(),
                                          fmt::format("'{}' does not ascend from above 0", key));
    }
  }
  return values;
}

std::vector<std::vector<int>> clusters_field(const YAML::Node& map, const char* key) {
  const YAML::Node list = required_list(map, key);
  std::vector<std::vector<int>> clusters;
  std::vector<int> seen;
  for (const auto& entry : list) {
    clusters.push_back(as<std::vector<int>>(entry, key));
    if (clusters.back().empty()) throw YAML::RepresentationException(entry.Mark(), "a cluster without CPUs");
    seen.insert(seen.end(), clusters.back().begin(), clusters.back().end());
  }
  if (seen.front() != 0) throw YAML::RepresentationException(list.Mark(), "cpu0 is not the first");
  std::sort(seen.begin(), seen.end());
  for (std::size_t cpu = 0; cpu < seen.size(); ++cpu) {
    if (seen[cpu] != static_cast<int>(cpu)) {
      throw YAML::RepresentationException(list.Mark(),
                                          fmt::format("expected CPU {}, found {}", cpu, seen[cpu]));
    }
  }
  return clusters;
}

Duration window_field(const YAML::Node& map, const char* key) {
  const auto window_ms = field<double>(map, key);
  if (!(window_ms >= 1 && window_ms <= 60e3)) {
    throw YAML::RepresentationException(map[key].Mark(), fmt::format("'{}' is not between 1 and 60000", key));
  }
  return from_ms(window_ms);
}

Unexpected yaml_failure(const std::string& source, const YAML::Exception& exception) {
  const std::string place =
      exception.mark.is_null()
          ? source
          : fmt::format("{}:{}:{}", source, exception.mark.line + 1, exception.mark.column + 1);
  return fail(ErrorCode::invalid_argument, fmt::format("{}: {}", place, exception.msg));
}

}  // namespace fulcrum::powermode
