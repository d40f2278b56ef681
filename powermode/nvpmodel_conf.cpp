#include "powermode/nvpmodel_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

namespace fulcrum {

namespace {

struct Word {
  std::string text;
  int line = 0;
  int column = 0;
};
using Words = std::vector<Word>;

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// The words of one line, without its comment. '<' and '>' are words of their own, with or without blanks.
Words words_of(std::string_view line, int number) {
  line = line.substr(0, line.find('#'));
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (line[at] != '<' && line[at] != '>') {
      while (end < line.size() && !is_blank(line[end]) && line[end] != '<' && line[end] != '>')
        ++end;
    }
    words.push_back({std::string(line.substr(at, end - at)), number, static_cast<int>(at) + 1});
    at = end;
  }
  return words;
}

// "CPU 1 MHz" -> the words from the n-th on, as one text.
std::string rest_of(const Words& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i)
    text += (i > from ? " " : "") + words[i].text;
  return text;
}

class Parser {
 public:
  explicit Parser(std::string source) : source_(std::move(source)) {}

  tl::expected<NvpmodelConf, std::vector<Error>> parse(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      read_line(words_of(text.substr(0, end), ++number));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    check_whole();
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(conf_);
  }

 private:
  enum class Section { none, param, model, passed_over };

  std::string place(const Word& word) const {
    return fmt::format("{}:{}:{}", source_, word.line, word.column);
  }
  void fault(const Word& word, const std::string& what) {
    faults_.push_back(fail(ErrorCode::invalid_argument, place(word) + ": " + what).value());
  }
  void remark(const Word& word, const std::string& what) {
    conf_.remarks.push_back(place(word) + ": " + what);
  }

  void read_line(const Words& words) {
    if (words.empty()) return;
    if (words.front().text == "<") return read_header(words);
    if (section_ == Section::param) return read_argument(words);
    if (section_ == Section::model) return read_setting(words);
    if (section_ == Section::none)
      remark(words.front(), "this stands before any section, and is passed over");
  }

  void read_header(const Words& words) {
    section_ = Section::passed_over;
    if (words.size() < 2 || words.back().text != ">")
      return fault(words.front(), "a section's head must be on one line, from '<' to '>'");
    const auto& kind = words[1];
    const auto values = read_values(words);
    if (kind.text == "PARAM") {
      begin_param(kind, values);
    } else if (kind.text == "POWER_MODEL") {
      begin_model(kind, values);
    } else if (kind.text == "PM_CONFIG") {
      read_default(kind, values);
    } else if (kind.text != "FAN_CONFIG") {
      remark(kind, fmt::format("a section '{}' is not known, and is passed over", kind.text));
    }
  }

  using Values = std::map<std::string, Word>;
  Values read_values(const Words& words) {
    Values values;
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
      const auto equals = words[i].text.find('=');
      if (equals == std::string::npos) {
        remark(words[i], fmt::format("'{}' is no NAME=VALUE, and is passed over", words[i].text));
        continue;
      }
      Word value = words[i];
      value.text.erase(0, equals + 1);
      values.emplace(words[i].text.substr(0, equals), value);
    }
    return values;
  }

  const Word* required(const Word& kind, const Values& values, const char* name) {
    const auto found = values.find(name);
    if (found != values.end() && !found->second.text.empty()) return &found->second;
    fault(kind, fmt::format("a {} needs a {}", kind.text, name));
    return nullptr;
  }

  void begin_param(const Word& kind, const Values& values) {
    const auto* name = required(kind, values, "NAME");
    const auto* type = required(kind, values, "TYPE");
    if (name == nullptr || type == nullptr) return;
    NvpmodelConf::Param param;
    param.name = name->text;
    if (type->text == "CLOCK") {
      param.type = NvpmodelConf::Type::clock;
    } else if (type->text == "HWMON") {
      param.type = NvpmodelConf::Type::hwmon;
    } else if (type->text != "FILE") {
      return remark(*type, fmt::format("params of type '{}' are not known; '{}' is passed over", type->text,
                                       name->text));
    }
    if (conf_.param(param.name) != nullptr)
      return remark(*name, fmt::format("a second param '{}'", param.name));
    conf_.params.push_back(std::move(param));
    section_ = Section::param;
  }

  void begin_model(const Word& kind, const Values& values) {
    const auto* name = required(kind, values, "NAME");
    const auto* id = required(kind, values, "ID");
    if (name == nullptr || id == nullptr) return;
    const auto number = number_in<int>(id->text);
    if (!number || *number < 0) return fault(*id, fmt::format("'{}' is no ID", id->text));
    if (conf_.model(*number) != nullptr)
      return fault(*id, fmt::format("a second power model with the ID {}", *number));
    conf_.models.push_back({*number, name->text, {}});
    section_ = Section::model;
  }

  void read_default(const Word& kind, const Values& values) {
    const auto* id = required(kind, values, "DEFAULT");
    if (id == nullptr) return;
    const auto number = number_in<int>(id->text);
    if (!number) return fault(*id, fmt::format("'{}' is no ID", id->text));
    conf_.default_id = *number;
    default_at_ = *id;
  }

  void read_argument(const Words& words) {
    auto& param = conf_.params.back();
    const bool is_hwmon = param.type == NvpmodelConf::Type::hwmon;
    if (words.size() < 2 || words[1].text.front() != '/')
      return fault(words.front(), fmt::format("'{}' of '{}' needs a path", words.front().text, param.name));
    const std::size_t used = is_hwmon && words.size() > 2 ? 3 : 2;
    if (words.size() > used) remark(words[used], fmt::format("'{}' is passed over", rest_of(words, used)));
    param.arguments.push_back({words[0].text, words[1].text, used == 3 ? words[2].text : ""});
  }

  void read_setting(const Words& words) {
    auto& model = conf_.models.back();
    if (words.size() < 3)
      return fault(words.front(), fmt::format("a line of '{}' must be PARAM ARGUMENT value", model.name));
    NvpmodelConf::Setting setting{words[0].text, words[1].text, rest_of(words, 2)};
    const auto* param = conf_.param(setting.param);
    if (param == nullptr)
      return remark(words[0], fmt::format("there is no param '{}'; its value is passed over", setting.param));
    if (param->find(setting.argument, false) == nullptr)
      return remark(words[1], fmt::format("'{}' has no argument '{}'; its value is passed over",
                                          setting.param, setting.argument));
    if (param->type == NvpmodelConf::Type::clock && !number_in<std::int64_t>(setting.value))
      return fault(words[2], fmt::format("a clock is a whole number, not '{}'", setting.value));
    model.settings.push_back(std::move(setting));
  }

  void check_whole() {
    const Word end{"", 1, 1};
    if (conf_.models.empty() && faults_.empty()) fault(end, "there is no power model in this file");
    if (!conf_.default_id) {
      remark(end, "there is no PM_CONFIG DEFAULT: nvpmodel does not take this file");
    } else if (conf_.model(*conf_.default_id) == nullptr) {
      remark(default_at_, fmt::format("there is no power model with the default ID {}", *conf_.default_id));
    }
  }

  std::string source_;
  NvpmodelConf conf_;
  std::vector<Error> faults_;
  Section section_ = Section::none;
  Word default_at_;
};

// The number behind `before` in a path such as /sys/devices/system/cpu/cpu4/online; none: it is another path.
std::optional<int> cpu_in(const std::string& path, std::string_view after) {
  constexpr std::string_view kBefore = "/sys/devices/system/cpu/cpu";
  if (path.compare(0, kBefore.size(), kBefore) != 0) return std::nullopt;
  const auto end = path.find('/', kBefore.size());
  if (end == std::string::npos || path.substr(end) != after) return std::nullopt;
  return number_in<int>(path.substr(kBefore.size(), end - kBefore.size()));
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// -1, and what a 32 or 64 bit "no cap" reads back as, are no caps.
std::optional<std::int64_t> cap(std::int64_t value) {
  if (value < 0 || value == std::numeric_limits<std::int32_t>::max() ||
      value == std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return value;
}

void take_setting(const std::string& path, std::int64_t value, NvpmodelCaps& caps) {
  const auto node = nvpmodel_node(path);
  switch (node.knob) {
    case NvpmodelKnob::cpu_online:
      caps.online[node.cpu] = value != 0;
      return;
    case NvpmodelKnob::cpu_max:
      if (const auto khz = cap(value)) caps.cpu_khz[node.cpu] = *khz;
      return;
    case NvpmodelKnob::gpu_max:
      caps.gpu_hz = cap(value);
      return;
    case NvpmodelKnob::emc_iso_cap:
      caps.emc_hz = value == 0 ? std::nullopt : cap(value);  // here 0 is no cap
      return;
    case NvpmodelKnob::emc_clk_cap:
      caps.emc_hz = cap(value);  // here 0 is the lowest rate
      return;
    case NvpmodelKnob::gating:
      caps.gating_masks[path] = value;
      return;
    case NvpmodelKnob::cpu_min:
    case NvpmodelKnob::gpu_min:
    case NvpmodelKnob::other:
      return;
  }
}

}  // namespace

NvpmodelNode nvpmodel_node(const std::string& path) {
  if (const auto cpu = cpu_in(path, "/online")) return {NvpmodelKnob::cpu_online, *cpu};
  if (const auto cpu = cpu_in(path, "/cpufreq/scaling_max_freq")) return {NvpmodelKnob::cpu_max, *cpu};
  if (const auto cpu = cpu_in(path, "/cpufreq/scaling_min_freq")) return {NvpmodelKnob::cpu_min, *cpu};
  if (ends_with(path, "_pg_mask")) return {NvpmodelKnob::gating, 0};
  if (ends_with(path, "/emc_iso_cap")) return {NvpmodelKnob::emc_iso_cap, 0};
  if (ends_with(path, "/nvpmodel_clk_cap/emc")) return {NvpmodelKnob::emc_clk_cap, 0};
  const bool devfreq = path.find("devfreq") != std::string::npos;
  if (devfreq && ends_with(path, "/max_freq")) return {NvpmodelKnob::gpu_max, 0};
  if (devfreq && ends_with(path, "/min_freq")) return {NvpmodelKnob::gpu_min, 0};
  return {};
}

const NvpmodelConf::Argument* NvpmodelConf::Param::find(const std::string& argument, bool new_kernel) const {
  const auto named = [this](const std::string& wanted) -> const Argument* {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&wanted](const auto& a) { return a.name == wanted; });
    return found == arguments.end() ? nullptr : &*found;
  };
  const auto* twin = new_kernel ? named(argument + "_KNEXT") : nullptr;
  return twin != nullptr ? twin : named(argument);
}

const NvpmodelConf::Param* NvpmodelConf::param(const std::string& name) const {
  const auto found =
      std::find_if(params.begin(), params.end(), [&name](const auto& p) { return p.name == name; });
  return found == params.end() ? nullptr : &*found;
}

const NvpmodelConf::Model* NvpmodelConf::model(int id) const {
  const auto found = std::find_if(models.begin(), models.end(), [id](const auto& m) { return m.id == id; });
  return found == models.end() ? nullptr : &*found;
}

tl::expected<NvpmodelConf, std::vector<Error>> parse_nvpmodel_conf(std::string_view text,
                                                                   const std::string& source) {
  return Parser(source).parse(text);
}

NvpmodelCaps nvpmodel_caps(const NvpmodelConf& conf, const NvpmodelConf::Model& model, bool new_kernel) {
  NvpmodelCaps caps;
  for (const auto& setting : model.settings) {
    const auto* param = conf.param(setting.param);
    const auto* argument = param != nullptr ? param->find(setting.argument, new_kernel) : nullptr;
    const auto value = number_in<std::int64_t>(setting.value);
    if (argument != nullptr && value) take_setting(argument->path, *value, caps);
  }
  return caps;
}

}  // namespace fulcrum
