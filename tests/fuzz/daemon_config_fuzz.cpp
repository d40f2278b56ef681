// fulcrumd's configuration file. One that passes has nothing but allowed values, as the table of keys has
// them.

#include <algorithm>
#include <string>
#include <variant>

#include "daemon/config_keys.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum::daemon;
using fulcrum::fuzz::promise;

constexpr const char* kName = "fulcrumd.yaml";

struct Allowed {
  DaemonConfig& config;

  void operator()(const ChoiceField& field) const {
    promise(std::count(field.choices.begin(), field.choices.end(), field.at(config)) == 1,
            "a choice is known");
  }
  void operator()(const PathField& field) const {
    const auto& path = field.at(config);
    promise(path.empty() ? field.may_be_empty : path.front() == '/', "a path is absolute");
  }
  void operator()(const AccountField&) const {}
  void operator()(const WholeField& field) const {
    promise(field.at(config) >= field.min && field.at(config) <= field.max, "a whole number is in its range");
  }
  void operator()(const NumberField& field) const {
    promise(field.at(config) >= field.min && field.at(config) <= field.max, "a number is in its range");
  }
  void operator()(const ModeField&) const {
    if (const auto* preset = std::get_if<std::string>(&config.mode)) {
      return promise(!preset->empty(), "a preset has a name");
    }
    const auto& mode = std::get<fulcrum::PowerMode>(config.mode);
    promise(mode.cpu_cores > 0 && mode.cpu_khz > 0 && mode.gpu_hz > 0 && mode.emc_hz > 0,
            "knobs are above 0");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto config = parse_config(std::string(fulcrum::fuzz::as_text(data, size)), kName);
  if (config) {
    for (const auto& key : config_keys())
      std::visit(Allowed{*config}, key.field);
    return 0;
  }
  promise(!config.error().empty(), "a refused file has faults");
  for (const auto& fault : config.error())
    promise(fault.message.rfind(kName, 0) == 0, "a fault says in which file it is");
  return 0;
}
