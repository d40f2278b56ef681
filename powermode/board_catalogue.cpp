#include "powermode/board_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/suggest.h"
#include "powermode/embedded_text.h"

namespace fulcrum {

namespace {

constexpr const char* kCompatible = "/sys/firmware/devicetree/base/compatible";
constexpr const char* kAnyJetson = "jetson";
constexpr const char* kHint =
    "to try Fulcrum on any machine, use a simulated board (board: simulated:agx-orin)";

// The device tree's list, whose entries end with NUL; the most specific comes first.
std::vector<std::string> split_at_nul(const std::string& text) {
  std::vector<std::string> entries;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    if (end > at) entries.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return entries;
}

Expected<std::vector<std::string>> compatible_of(const FileTree& tree) {
  if (!tree.exists(kCompatible)) {
    return fail(ErrorCode::unsupported,
                fmt::format("this machine is no NVIDIA Jetson: it has no '{}'", kCompatible), kHint);
  }
  FULCRUM_TRY_ASSIGN(text, tree.read(kCompatible));
  return split_at_nul(text);
}

bool matches(const BoardDescription& description, const std::string& entry) {
  return std::any_of(description.matches.begin(), description.matches.end(),
                     [&](const std::string& part) { return entry.find(part) != std::string::npos; });
}

// "nvidia,p3737-0000+p3701-0008" as "p3737-0000+p3701-0008".
std::string without_vendor(const std::string& entry) {
  return entry.substr(entry.find(',') + 1);
}

Expected<BoardDescription> parse_builtin(const std::string& id, const BoardDescription& base) {
  const std::string source = id + ".yaml";
  return parse_board_description(powermode::embedded_text(source), source, base);
}

}  // namespace

std::vector<std::string> builtin_board_ids() {
  return {"agx-orin",  "agx-orin-32gb", "orin-nx", "orin-nano", "agx-xavier",
          "xavier-nx", "tx2",           "nano",    "agx-thor",  kAnyJetson};
}

Expected<BoardDescription> builtin_board_description(const std::string& id) {
  const auto ids = builtin_board_ids();
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    return fail(ErrorCode::not_found, fmt::format("no board is called '{}'", id), did_you_mean(id, ids));
  }
  FULCRUM_TRY_ASSIGN(any, parse_builtin(kAnyJetson, {}));
  if (id == kAnyJetson) return any;
  return parse_builtin(id, any);
}

Expected<BoardDescription> detect_board(const FileTree& tree) {
  FULCRUM_TRY_ASSIGN(found, compatible_of(tree));
  FULCRUM_TRY_ASSIGN(any, parse_builtin(kAnyJetson, {}));
  std::vector<BoardDescription> known;
  for (const auto& id : builtin_board_ids()) {
    if (id == kAnyJetson) continue;
    FULCRUM_TRY_ASSIGN(description, parse_builtin(id, any));
    known.push_back(std::move(description));
  }
  for (const auto& entry : found) {
    for (auto& description : known) {
      if (matches(description, entry)) return std::move(description);
    }
  }
  if (std::any_of(found.begin(), found.end(), [&](const auto& entry) { return matches(any, entry); })) {
    any.id = fmt::format("{}-{}", kAnyJetson, without_vendor(found.front()));
    return any;
  }
  return fail(ErrorCode::unsupported,
              fmt::format("this machine is no NVIDIA Jetson: it says '{}'", fmt::join(found, "', '")), kHint);
}

Expected<void> check_machine(const FileTree& tree, const BoardDescription& description) {
  FULCRUM_TRY_ASSIGN(found, compatible_of(tree));
  if (std::any_of(found.begin(), found.end(), [&](const auto& entry) { return matches(description, entry); }))
    return {};
  return fail(ErrorCode::unsupported,
              fmt::format("this machine is no {}: it says '{}'", description.name, fmt::join(found, "', '")),
              fmt::format("wanted '{}'; {}", fmt::join(description.matches, "' or '"), kHint));
}

}  // namespace fulcrum
