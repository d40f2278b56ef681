#include "daemon/config.h"

#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "common/durable_file.h"
#include "common/suggest.h"
#include "common/yaml_documents.h"
#include "daemon/config_keys.h"

namespace fulcrum::daemon {

namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
constexpr std::size_t kMaxSocketPathBytes = 107;  // unix(7): sun_path, without its last zero

template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool is_path(const std::string& text) {
  return !text.empty() && text.front() == '/';
}

// Fills a DaemonConfig from a YAML tree, key by key of the table, and collects what is wrong.
class Reader {
 public:
  Reader(std::string file, DaemonConfig& config, Faults& faults)
      : file_(std::move(file)), config_(config), faults_(faults) {}

  void read_map(const YAML::Node& map, const std::string& prefix);

 private:
  using Names = std::vector<std::string>;

  void fault(const YAML::Node& at, const std::string& message, std::string hint = {}) {
    const auto mark = at.Mark();
    faults_.push_back(make_fault(ErrorCode::invalid_argument,
                                 fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, message),
                                 std::move(hint)));
  }

  // Calls visit(name, key's node, value) for every key that is in `known`; the others are faults, and so is a
  // second value for one key.
  template <class Visit>
  void for_each_key(const YAML::Node& map, const std::string& prefix, const Names& known, Visit visit);

  void read_key(const ConfigKey& key, const YAML::Node& value);
  void read(const ConfigKey& key, const ChoiceField& field, const YAML::Node& value);
  void read(const ConfigKey& key, const PathField& field, const YAML::Node& value);
  void read(const ConfigKey& key, const AccountField& field, const YAML::Node& value);
  void read(const ConfigKey& key, const WholeField& field, const YAML::Node& value);
  void read(const ConfigKey& key, const NumberField& field, const YAML::Node& value);
  void read(const ConfigKey& key, const ModeField& field, const YAML::Node& value);
  std::int64_t read_whole(const std::string& name, const YAML::Node& value, std::int64_t min,
                          std::int64_t max);

  std::string file_;
  DaemonConfig& config_;
  Faults& faults_;
};

bool is_plain(const YAML::Node& node) {
  return node.IsScalar() && node.Tag() != "!";
}

std::string shown(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  return node.IsNull() ? "empty" : fmt::format("'{}'", node.Scalar());
}

template <class Visit>
void Reader::for_each_key(const YAML::Node& map, const std::string& prefix, const Names& known, Visit visit) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) {
      fault(entry.first, fmt::format("a key must be a word, is {}", shown(entry.first)));
      continue;
    }
    const std::string name = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fault(entry.first, fmt::format("unknown key '{}{}'", prefix, name), did_you_mean(name, known));
    } else if (!seen.insert(name).second) {
      fault(entry.first, fmt::format("'{}{}' is given twice", prefix, name), "keep one of them");
    } else {
      visit(name, entry.second);
    }
  }
}

// The names directly below `prefix` ("" or "rpc."): of keys, and of maps of keys.
std::vector<std::string> names_below(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& key : config_keys()) {
    if (key.name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string rest = key.name.substr(prefix.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

void Reader::read_map(const YAML::Node& map, const std::string& prefix) {
  if (map.IsNull()) return;
  if (!map.IsMap()) {
    const std::string what =
        prefix.empty() ? "the file" : fmt::format("'{}'", prefix.substr(0, prefix.size() - 1));
    return fault(map, fmt::format("{} must be a map of keys and values, is {}", what, shown(map)));
  }
  for_each_key(map, prefix, names_below(prefix), [&](const std::string& name, const YAML::Node& value) {
    for (const auto& key : config_keys()) {
      if (key.name == prefix + name) return read_key(key, value);
    }
    read_map(value, prefix + name + ".");
  });
}

void Reader::read_key(const ConfigKey& key, const YAML::Node& value) {
  std::visit([&](const auto& field) { read(key, field, value); }, key.field);
}

void Reader::read(const ConfigKey& key, const ChoiceField& field, const YAML::Node& value) {
  const std::string text = value.IsScalar() ? value.Scalar() : "";
  const bool fits = field.fits != nullptr
                        ? field.fits(text)
                        : std::find(field.choices.begin(), field.choices.end(), text) != field.choices.end();
  if (fits) {
    field.at(config_) = text;
  } else {
    fault(
        value,
        fmt::format("'{}' must be one of {}, is {}", key.name, fmt::join(field.choices, ", "), shown(value)),
        nearest_name(text, field.choices) ? did_you_mean(text, field.choices) : "");
  }
}

void Reader::read(const ConfigKey& key, const PathField& field, const YAML::Node& value) {
  const bool empty = value.IsNull() || (value.IsScalar() && value.Scalar().empty());
  if (empty && field.may_be_empty) {
    field.at(config_).clear();
  } else if (value.IsScalar() && is_path(value.Scalar())) {
    field.at(config_) = value.Scalar();
  } else {
    fault(value, fmt::format("'{}' must be an absolute path, is {}", key.name, shown(value)));
  }
}

void Reader::read(const ConfigKey& key, const AccountField& field, const YAML::Node& value) {
  if (value.IsScalar()) {
    field.at(config_) = value.Scalar();
  } else {
    fault(value, fmt::format("'{}' must be a name, is {}", key.name, shown(value)), "write \"\" for none");
  }
}

std::int64_t Reader::read_whole(const std::string& name, const YAML::Node& value, std::int64_t min,
                                std::int64_t max) {
  std::int64_t number = 0;
  if (!is_plain(value) || !parse_number(value.Scalar(), number)) {
    fault(value, fmt::format("'{}' must be a whole number, is {}", name, shown(value)));
  } else if (number < min || number > max) {
    fault(value, fmt::format("'{}' must be from {} to {}, is {}", name, min, max, number));
  }
  return number;
}

void Reader::read(const ConfigKey& key, const WholeField& field, const YAML::Node& value) {
  field.at(config_) = read_whole(key.name, value, field.min, field.max);
}

void Reader::read(const ConfigKey& key, const NumberField& field, const YAML::Node& value) {
  double number = 0;
  if (!is_plain(value) || !parse_number(value.Scalar(), number) || !std::isfinite(number)) {
    fault(value, fmt::format("'{}' must be a number, is {}", key.name, shown(value)));
  } else if (number < field.min || number > field.max) {
    fault(value,
          fmt::format("'{}' must be from {:g} to {:g}, is {}", key.name, field.min, field.max, number));
  }
  field.at(config_) = number;
}

void Reader::read(const ConfigKey& key, const ModeField&, const YAML::Node& value) {
  if (value.IsScalar() && !value.Scalar().empty()) {
    config_.mode = value.Scalar();
    return;
  }
  if (!value.IsMap()) {
    return fault(value, fmt::format("'{}' must be a preset's name or a map of the four knobs, is {}",
                                    key.name, shown(value)));
  }
  constexpr std::int64_t kMaxClock = 100'000'000'000;
  const Names knobs{"cpu_cores", "cpu_khz", "gpu_hz", "emc_hz"};
  const std::string prefix = key.name + ".";
  PowerMode mode;
  std::set<std::string> given;
  for_each_key(value, prefix, knobs, [&](const std::string& name, const YAML::Node& knob) {
    given.insert(name);
    const std::int64_t number = read_whole(prefix + name, knob, 1, name == "cpu_cores" ? 1024 : kMaxClock);
    if (name == "cpu_cores") mode.cpu_cores = static_cast<int>(std::clamp<std::int64_t>(number, 0, 1024));
    if (name == "cpu_khz") mode.cpu_khz = number;
    if (name == "gpu_hz") mode.gpu_hz = number;
    if (name == "emc_hz") mode.emc_hz = number;
  });
  for (const auto& knob : knobs) {
    if (given.count(knob) == 0) fault(value, fmt::format("'{}{}' is missing", prefix, knob));
  }
  config_.mode = mode;
}

Error yaml_fault(const std::string& name, const YAML::Exception& e) {
  const std::string place =
      e.mark.is_null() ? name : fmt::format("{}:{}:{}", name, e.mark.line + 1, e.mark.column + 1);
  return make_fault(ErrorCode::invalid_argument, fmt::format("{}: not valid YAML: {}", place, e.msg));
}

Checked<DaemonConfig> load_file(const ConfigFlags& flags) {
  const std::string path = flags.config.value_or(kDefaultConfigPath);
  auto text = read_file(path, kMaxFileBytes);
  if (text) return parse_config(*text, path);
  if (!flags.config && text.error().code == ErrorCode::not_found) return DaemonConfig{};
  text.error().context.emplace_back("reading the configuration");
  return faulty(std::move(text).error());
}

void take_path_flag(const std::optional<std::string>& flag, const char* name, std::string& into,
                    Faults& faults) {
  if (!flag) return;
  into = *flag;
  if (is_path(into)) return;
  faults.push_back(make_fault(ErrorCode::invalid_argument,
                              fmt::format("{} must be an absolute path, is '{}'", name, into)));
}

}  // namespace

Checked<DaemonConfig> parse_config(const std::string& text, const std::string& name) {
  try {
    const auto documents = yaml_document_starts(text);
    DaemonConfig config;
    Faults faults;
    Reader reader(name, config, faults);
    reader.read_map(YAML::Load(text), "");
    if (documents.size() > 1) {
      faults.push_back(make_fault(ErrorCode::invalid_argument,
                                  fmt::format("{}:{}:{}: a second YAML document begins here, one is expected",
                                              name, documents.back().line + 1, documents.back().column + 1)));
    }
    if (config.power_budget_w > 0 && !config.searches_mode()) {
      faults.push_back(make_fault(ErrorCode::invalid_argument,
                                  fmt::format("{}: a power_budget_w has no meaning in a fixed mode", name),
                                  "set mode: auto, or remove power_budget_w"));
    }
    if (!faults.empty()) return faulty(std::move(faults));
    return config;
  } catch (const YAML::Exception& e) {
    return faulty(yaml_fault(name, e));
  }
}

Checked<DaemonConfig> load_config(const ConfigFlags& flags) {
  auto config = load_file(flags);
  Faults faults;
  DaemonConfig merged;
  if (config) {
    merged = *std::move(config);
  } else {
    faults = std::move(config).error();
  }

  take_path_flag(flags.state_dir, "--state-dir", merged.state_dir, faults);
  take_path_flag(flags.runtime_dir, "--runtime-dir", merged.runtime_dir, faults);
  if (flags.log_level) merged.log_level = *flags.log_level;
  if (const auto socket = merged.control_socket(); socket.size() > kMaxSocketPathBytes) {
    faults.push_back(make_fault(ErrorCode::limit_exceeded,
                                fmt::format("'{}' is longer than the {} bytes that a socket's path may have",
                                            socket, kMaxSocketPathBytes),
                                "choose a shorter runtime_dir"));
  }
  if (!faults.empty()) return faulty(std::move(faults));
  return merged;
}

NvpmodelProgram DaemonConfig::nvpmodel_program() const {
  const std::filesystem::path root(board_root);
  const auto path = nvpmodel.empty() ? (root / "usr/sbin/nvpmodel").string() : nvpmodel;
  // A simulated board has its catalogue in its state, where only its own nvpmodel finds it.
  const auto conf = simulates_board() ? std::string() : (root / "etc/nvpmodel.conf").string();
  return NvpmodelProgram(path, NvpmodelProgram::kTimeLimit, conf);
}

}  // namespace fulcrum::daemon
