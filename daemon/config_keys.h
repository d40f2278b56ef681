#pragma once
// The table of configuration keys: for each its place in DaemonConfig, what it may be, and what it is for.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "daemon/config.h"

namespace fulcrum::daemon {

struct ChoiceField {
  std::string& (*at)(DaemonConfig&);
  std::vector<std::string> choices;
  // Where the choices are patterns: whether a value fits one.
  bool (*fits)(const std::string& value) = nullptr;
};
struct PathField {
  std::string& (*at)(DaemonConfig&);
  bool may_be_empty;
};
struct AccountField {  // a user or group, by name
  std::string& (*at)(DaemonConfig&);
};
struct WholeField {
  std::int64_t& (*at)(DaemonConfig&);
  std::int64_t min;
  std::int64_t max;
};
struct NumberField {
  double& (*at)(DaemonConfig&);
  double min;
  double max;
};
struct ModeField {};

struct ConfigKey {
  std::string name;  // "rpc.max_clients": key max_clients of the map rpc
  std::variant<ChoiceField, PathField, AccountField, WholeField, NumberField, ModeField> field;
  std::string doc;  // lines of prose
};

const std::vector<ConfigKey>& config_keys();

// The default configuration as YAML, each key with its documentation: the text of config/fulcrumd.yaml.
std::string render_default_config();

}  // namespace fulcrum::daemon
