#include "powermode/simulated_nvpmodel_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <ostream>
#include <string_view>

#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {

constexpr const char* kTable = "FREQ_TABLE";

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Errors of open(2); the others come from the node itself.
bool is_of_opening(int error) {
  return error == ENOENT || error == EACCES || error == ENXIO || error == EISDIR;
}

std::string highest_number(bool is_jetpack_6) {
  return is_jetpack_6 ? std::to_string(std::numeric_limits<std::int64_t>::max())
                      : std::to_string(std::numeric_limits<std::int32_t>::max());
}

}  // namespace

bool nvpmodel_is_of_jetpack_6(const SimulatedHardware::Kernel& kernel) {
  return kernel.major > 5 || (kernel.major == 5 && kernel.minor >= 15);
}

SystemResult<std::string> read_node_text(const SimulatedFileTree& board, const std::string& path) {
  const auto text = board.sys_read(path);
  if (!text) return tl::unexpected(EIO);
  if (!*text) return tl::unexpected(text->error());
  return trimmed(**text);
}

int write_node(SimulatedFileTree& board, const std::string& path, std::string_view value) {
  const auto written = board.sys_write(path, value);
  if (!written) return EIO;
  return *written ? 0 : written->error();
}

NvpmodelSettings::NvpmodelSettings(SimulatedFileTree& board, const SimulatedHardware::Kernel& kernel,
                                   const NvpmodelConf& conf, std::ostream& err)
    : board_(board),
      next_paths_(kernel.nvpmodel_uses_next_paths()),
      unlimited_(highest_number(nvpmodel_is_of_jetpack_6(kernel))),
      conf_(conf),
      err_(err) {}

bool NvpmodelSettings::write(const Setting& setting) {
  const auto target = target_of(setting);
  const auto levels = levels_of(target);
  if (!levels) return false;
  const auto value = value_for(target, *levels);
  const auto node = node_of(target.argument);
  const int number = node ? write_node(board_, *node, value) : node.error();
  if (number != 0) say_not_written(target, value, number);
  return number == 0;
}

std::optional<std::string> NvpmodelSettings::read(const Setting& setting) {
  const auto target = target_of(setting);
  auto text = read_argument(target.argument);
  if (text) return std::move(*text);
  say_not_read(target.param, setting.argument, target.argument, text.error());
  return std::nullopt;
}

std::string NvpmodelSettings::path_of(const Setting& setting) const {
  return target_of(setting).argument.path;
}

std::string NvpmodelSettings::asked_for(const Setting& setting) const {
  return target_of(setting).is_uncapped() ? unlimited_ : setting.value;
}

NvpmodelSettings::Target NvpmodelSettings::target_of(const Setting& setting) const {
  const auto& param = *conf_.param(setting.param);
  return {setting, param, *param.find(setting.argument, next_paths_)};
}

// hwmonN differs from boot to boot.
SystemResult<std::string> NvpmodelSettings::node_of(const Conf::Argument& argument) const {
  if (argument.attribute.empty()) return argument.path;
  const auto names = board_.list(argument.path);
  if (!names) return tl::unexpected(ENOENT);
  const auto found = std::find_if(names->begin(), names->end(),
                                  [](const std::string& name) { return name.rfind("hwmon", 0) == 0; });
  if (found == names->end()) return tl::unexpected(ENOENT);
  return fmt::format("{}/{}/{}", argument.path, *found, argument.attribute);
}

SystemResult<std::string> NvpmodelSettings::read_argument(const Conf::Argument& argument) const {
  const auto node = node_of(argument);
  if (!node) return tl::unexpected(node.error());
  return read_node_text(board_, *node);
}

// It looks at the table of every clock that it sets, if there is one. None: it cannot be read.
std::optional<std::vector<std::int64_t>> NvpmodelSettings::levels_of(const Target& target) {
  const auto* table = target.is_clock() ? target.param.find(kTable, next_paths_) : nullptr;
  if (table == nullptr) return std::vector<std::int64_t>();
  const auto text = read_argument(*table);
  if (text) return numbers_in(*text);
  say_not_read(target.param, kTable, *table, text.error());
  return std::nullopt;
}

// "No cap" as the node takes it; else as it stands in the file, for the kernel to round.
std::string NvpmodelSettings::value_for(const Target& target, const std::vector<std::int64_t>& levels) const {
  if (!target.is_uncapped()) return target.setting.value;
  if (ends_with(target.argument.path, "/emc_iso_cap")) return "0";
  if (levels.empty()) return unlimited_;
  const auto [lowest, highest] = std::minmax_element(levels.begin(), levels.end());
  return std::to_string(target.setting.argument == "MIN_FREQ" ? *lowest : *highest);
}

void NvpmodelSettings::say_not_read(const Conf::Param& param, const std::string& name,
                                    const Conf::Argument& argument, int number) {
  err_ << fmt::format("NVPM ERROR: Error {} {}: {}\n", is_of_opening(number) ? "opening" : "reading",
                      node_of(argument).value_or(argument.path), number)
       << fmt::format("NVPM ERROR: failed to read PARAM {}: ARG {}: PATH {}\n", param.name, name,
                      argument.path);
}

void NvpmodelSettings::say_not_written(const Target& target, const std::string& value, int number) {
  const auto node = node_of(target.argument).value_or(target.argument.path);
  const auto doing = is_of_opening(number) ? "opening " + node : fmt::format("writing {} to {}", value, node);
  err_ << fmt::format("NVPM ERROR: Error {}: {}\n", doing, number)
       << fmt::format("NVPM ERROR: failed to write PARAM {}: ARG {}: PATH: {} VAL: {}\n", target.param.name,
                      target.setting.argument, target.argument.path, value);
}

}  // namespace fulcrum::powermode
