#include "powermode/nvpmodel_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fulcrum {

namespace {

constexpr std::string_view kPowerMode = "NV Power Mode: ";
constexpr std::string_view kError = "NVPM ERROR: ";
constexpr std::string_view kStatus = "pmode:";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// All of the text, decimal: zeros in front are no octal.
std::optional<int> id_in(std::string_view text) {
  int id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || stop != end || id < 0) return std::nullopt;
  return id;
}

std::string first_error(std::string_view output) {
  for (const auto line : lines_of(output)) {
    if (line.rfind(kError, 0) == 0) return std::string(line.substr(kError.size()));
  }
  return {};
}

}  // namespace

Expected<NvpmodelQuery> parse_nvpmodel_query(std::string_view output) {
  NvpmodelQuery query;
  bool found = false;
  const auto lines = lines_of(output);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind(kError, 0) == 0) query.errors.emplace_back(lines[i].substr(kError.size()));
    const auto at = lines[i].find(kPowerMode);
    if (at == std::string_view::npos || found) continue;
    const auto name = lines[i].substr(at + kPowerMode.size());
    const auto id = i + 1 < lines.size() ? id_in(lines[i + 1]) : std::nullopt;
    if (name.empty() || !id) continue;
    query.mode_name = std::string(name.substr(0, name.find(' ')));
    query.mode_id = *id;
    found = !query.mode_name.empty();
  }
  if (found) return query;
  return fail(ErrorCode::corrupt,
              query.errors.empty()
                  ? "nvpmodel does not say which power mode is set"
                  : fmt::format("nvpmodel does not say which power mode is set: {}", query.errors.front()));
}

Expected<int> parse_nvpmodel_status(std::string_view text) {
  for (const auto line : lines_of(text)) {
    if (line.rfind(kStatus, 0) != 0) continue;
    const auto value = line.substr(kStatus.size());
    if (const auto id = id_in(value.substr(0, value.find(' ')))) return *id;
  }
  return fail(ErrorCode::corrupt, "nvpmodel's status file names no power mode");
}

NvpmodelRun judge_nvpmodel_run(std::string_view output, int exit_status) {
  if (contains(output, "Running in chroot, ignoring request"))
    return {NvpmodelOutcome::ignored, "nvpmodel runs in a container and ignores the request"};
  if (contains(output, "rebooting..")) return {NvpmodelOutcome::rebooting, "nvpmodel reboots the board"};
  if (contains(output, "Reboot required for changing to this power mode"))
    return {NvpmodelOutcome::needs_reboot, "the power mode takes a reboot"};
  if (auto error = first_error(output); !error.empty()) return {NvpmodelOutcome::failed, std::move(error)};
  if (exit_status != 0)
    return {NvpmodelOutcome::failed,
            fmt::format("nvpmodel ended with status {} and no word of why", exit_status)};
  return {NvpmodelOutcome::accepted, {}};
}

}  // namespace fulcrum
