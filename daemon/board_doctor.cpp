#include "daemon/board_doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "daemon/board_tree.h"
#include "daemon/user_account.h"
#include "powermode/board.h"
#include "powermode/board_catalogue.h"
#include "powermode/nvpmodel_setter.h"

namespace fulcrum::daemon {

namespace {

using Weight = Finding::Weight;

constexpr double kSlowdownToTell = 0.1;

// What CUDA opens, over the releases of JetPack.
constexpr const char* kGpuDevices[] = {"/dev/nvhost-gpu", "/dev/nvhost-ctrl-gpu", "/dev/nvmap",
                                       "/dev/nvgpu/igpu0/ctrl", "/dev/nvgpu/igpu0/as"};

Finding plain(std::string part, Weight weight, const Error& error, std::string effect) {
  Error without_hint = error;
  without_hint.hint.clear();
  return {std::move(part), weight, without_hint.to_string(), std::move(effect), error.hint};
}

bool may_open(const UserAccount& account, const struct stat& node) {
  constexpr mode_t kReadWrite = 6;
  const auto allows = [&](unsigned shift) { return (node.st_mode >> shift & kReadWrite) == kReadWrite; };
  if (account.uid == 0) return true;
  if (account.uid == node.st_uid) return allows(6);
  const bool member = account.gid == node.st_gid || std::find(account.groups.begin(), account.groups.end(),
                                                              node.st_gid) != account.groups.end();
  return member ? allows(3) : allows(0);
}

class Examination {
 public:
  Examination(const DaemonConfig& config, const Clock& clock, const Board* known)
      : config_(config), clock_(clock), known_(known) {}

  Expected<BoardReport> run() {
    FULCRUM_TRY_ASSIGN(tree, open_board_tree(config_, clock_));
    const std::shared_ptr<FileTree> shared = std::move(tree);
    auto description = describe_board(config_, *shared);
    if (!description) {
      report_.findings.push_back(
          plain("machine", Weight::blocks, description.error(), "there is nothing to control"));
      return std::move(report_);
    }
    report_.id = description->id;
    report_.name = description->name;
    if (!description->read_only.empty()) {
      add("control", Weight::blocks, description->read_only, "its knobs are not turned, and jobs wait");
    }
    auto parts = powermode::find_parts(*shared, *description);
    std::move(parts.findings.begin(), parts.findings.end(), std::back_inserter(report_.findings));
    rights();
    if (!parts.blocked) with_board(shared, *description);
    return std::move(report_);
  }

 private:
  void add(std::string part, Weight weight, std::string what, std::string effect = {}, std::string fix = {}) {
    report_.findings.push_back({std::move(part), weight, std::move(what), std::move(effect), std::move(fix)});
  }

  void rights() {
    if (config_.simulates_board()) return;
    if (::geteuid() != 0) {
      add("rights", Weight::blocks, "this is not root", "knobs cannot be written",
          "run as root, as the systemd unit does");
    }
    if (!config_.worker.user.empty()) gpu_devices();  // else it is who the daemon is
  }

  // CUDA in the worker needs the device nodes.
  void gpu_devices() {
    const auto account = find_account(config_.worker.user);
    if (!account)
      return report_.findings.push_back(
          plain("worker's user", Weight::blocks, account.error(), "no job can run"));
    std::vector<std::string> there;
    std::vector<std::string> denied;
    for (const char* device : kGpuDevices) {
      struct stat node {};
      if (::stat((std::filesystem::path(config_.board_root) / (device + 1)).c_str(), &node) != 0) continue;
      there.emplace_back(device);
      if (!may_open(*account, node)) denied.emplace_back(device);
    }
    if (there.empty()) {
      add("GPU devices", Weight::disables,
          fmt::format("none of '{}' is there", fmt::join(kGpuDevices, "', '")), "models run on the CPU",
          "is NVIDIA's driver loaded?");
    } else if (!denied.empty()) {
      add("GPU devices", Weight::disables,
          fmt::format("the user '{}' may not open '{}'", config_.worker.user, fmt::join(denied, "', '")),
          "models run on the CPU", fmt::format("usermod -aG video,render {}", config_.worker.user));
    } else {
      add("GPU devices", Weight::fine,
          fmt::format("'{}' may open {} of them", config_.worker.user, there.size()));
    }
  }

  // Sensors that do not answer hold a thread of the board each: so it is not discovered anew where there is
  // one.
  void with_board(const std::shared_ptr<FileTree>& tree, const BoardDescription& description) {
    if (known_ != nullptr) return examine(*known_);
    const auto board = Board::discover(tree, description, clock_);
    if (!board) {
      report_.findings.push_back(plain("board", Weight::blocks, board.error(), "it cannot be used"));
      return;
    }
    examine(**board);
  }

  void examine(const Board& board) {
    power(board);
    presets(board);
    configured_mode(board);
    way_to_set(board);
    nvpmodel(board);
    slowdown(board);
    memory(board);
  }

  void configured_mode(const Board& board) {
    if (config_.searches_mode()) return;
    Expected<void> usable;
    if (const auto* name = std::get_if<std::string>(&config_.mode)) {
      if (const auto mode = board.mode_named(*name); !mode) usable = Unexpected(mode.error());
    } else {
      usable = board.check(std::get<PowerMode>(config_.mode));
    }
    if (!usable)
      report_.findings.push_back(
          plain("configured mode", Weight::blocks, usable.error(), "fulcrumd does not start"));
  }

  void way_to_set(const Board& board) {
    if (config_.apply != "nvpmodel") return;
    const auto program = config_.nvpmodel_program();
    if (::access(program.path().c_str(), X_OK) != 0) {
      add("nvpmodel", Weight::blocks, fmt::format("'{}' cannot be run", program.path()), "jobs wait",
          "set nvpmodel, or apply: sysfs, in the configuration");
    }
    if (const auto setter = powermode::NvpmodelSetter::make(board, program, {}); !setter)
      report_.findings.push_back(plain("nvpmodel", Weight::blocks, setter.error(), "jobs wait"));
  }

  void power(const Board& board) {
    const auto sample = board.read_power();
    if (!sample) {
      return report_.findings.push_back(plain("power now", Weight::blocks, sample.error(),
                                              "neither probes nor power budgets are possible"));
    }
    add("power now", Weight::fine, fmt::format("{:.2f} W", sample->total_w));
  }

  void presets(const Board& board) {
    std::vector<std::string> unreachable;
    for (const auto& preset : board.presets()) {
      if (!board.why_unreachable(preset).empty()) unreachable.push_back(preset.name);
    }
    if (unreachable.empty()) return;
    add("presets", Weight::note,
        fmt::format("{} need{} a reboot", fmt::join(unreachable, ", "), unreachable.size() == 1 ? "s" : ""),
        "they are refused; their clocks can be set as four knobs", "'fulcrumctl board modes' says why");
  }

  // What was asked for and what holds are two things. With clocks that Fulcrum has set they differ.
  void nvpmodel(const Board& board) {
    const auto* requested = board.requested_preset();
    const auto mode = board.read_mode();
    if (requested == nullptr || !mode || board.reads_as(*mode, requested->mode)) return;
    add("nvpmodel", Weight::note,
        fmt::format("it was told to set {}, but the board is in '{}'", requested->name, mode->to_string()),
        "nothing, if fulcrumd is at work; else it waits for a reboot, or another program has changed the "
        "clocks",
        "jetson_clocks, nvpmodel.service, jtop and nvpmodel_indicator do that");
  }

  void slowdown(const Board& board) {
    const auto lost = board.read_cpu_slowdown();
    if (!lost || *lost < kSlowdownToTell) return;
    add("CPU clock", Weight::note,
        fmt::format("the hardware runs it {:.0f} % below what is set", 100 * *lost),
        "measurements taken meanwhile are not kept",
        "it protects itself: from heat, or from a weak power supply");
  }

  void memory(const Board& board) {
    const auto read = board.read_memory();
    if (!read) {
      return report_.findings.push_back(
          plain("memory", Weight::disables, read.error(), "how much is left is not known"));
    }
    add("memory", Weight::fine,
        fmt::format("{:.1f} GiB available", static_cast<double>(read->available_bytes) / (1 << 30)));
  }

  const DaemonConfig& config_;
  const Clock& clock_;
  const Board* known_;
  BoardReport report_;
};

}  // namespace

Json BoardReport::to_json() const {
  Json list = Json::array();
  for (const auto& finding : findings)
    list.push_back(finding.to_json());
  return {{"id", id}, {"name", name}, {"fit", fit()}, {"findings", std::move(list)}};
}

std::string BoardReport::to_text() const {
  return fmt::format("{}\n\n{}\n{}\n", name.empty() ? "no board" : fmt::format("{} ({})", name, id),
                     fulcrum::to_text(findings), verdict(fit()));
}

Expected<BoardReport> examine_board(const DaemonConfig& config, const Clock& clock, const Board* known) {
  return Examination(config, clock, known).run();
}

}  // namespace fulcrum::daemon
