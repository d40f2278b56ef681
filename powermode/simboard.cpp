#include "powermode/simboard.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "common/version.h"
#include "powermode/simulated_file_tree.h"
#include "powermode/simulated_mount.h"
#include "powermode/simulated_nvpmodel_program.h"

namespace fulcrum {

namespace {

constexpr int kSuccess = 0;
constexpr int kRefused = 1;
constexpr int kUsage = 2;
constexpr int kCannotMount = 3;

struct Arguments {
  std::string state;
  std::string board = "agx-orin";
  std::string board_if_new;  // none: the board has to be there
  std::string directory;
  std::string path = "/";
  std::string value;
  std::string kind;
  std::string error_name;
  int count = 0;
};

Expected<void> create(const Arguments& arguments) {
  return SimulatedFileTree::create(arguments.state, arguments.board, SystemClock());
}

using Action = Expected<void> (*)(SimulatedFileTree& board, const Arguments& arguments, std::ostream& out);

Expected<void> get(SimulatedFileTree& board, const Arguments& arguments, std::ostream& out) {
  FULCRUM_TRY_ASSIGN(text, board.read(arguments.path));
  out << text;
  if (text.empty() || text.back() != '\n') out << '\n';
  return {};
}

Expected<void> set(SimulatedFileTree& board, const Arguments& arguments, std::ostream&) {
  return board.write(arguments.path, arguments.value + "\n");
}

Expected<void> list(SimulatedFileTree& board, const Arguments& arguments, std::ostream& out) {
  FULCRUM_TRY_ASSIGN(names, board.list(arguments.path));
  for (const auto& name : names)
    out << name << '\n';
  return {};
}

Expected<void> add_fault(SimulatedFileTree& board, const Arguments& arguments, std::ostream&) {
  SimulatedFault fault;
  fault.pattern = arguments.path;
  FULCRUM_TRY_ASSIGN(kind, parse_fault_kind(arguments.kind));
  fault.kind = kind;
  fault.error_name = arguments.error_name;
  if (arguments.count > 0) fault.count = arguments.count;
  return board.add_fault(std::move(fault));
}

Expected<void> list_faults(SimulatedFileTree& board, const Arguments&, std::ostream& out) {
  FULCRUM_TRY_ASSIGN(faults, board.faults());
  for (const auto& fault : faults) {
    out << fault.pattern << ' ' << to_string(fault.kind);
    if (!fault.error_name.empty()) out << ' ' << fault.error_name;
    if (fault.count) out << fmt::format(" ({} times)", *fault.count);
    out << '\n';
  }
  return {};
}

Expected<void> clear_faults(SimulatedFileTree& board, const Arguments&, std::ostream&) {
  return board.clear_faults();
}

Expected<void> reboot(SimulatedFileTree& board, const Arguments&, std::ostream&) {
  return board.reboot();
}

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// A script that has this program act as nvpmodel on this board.
std::string nvpmodel_script(const std::string& state) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return fmt::format("#!/bin/sh\nexec {} --state {} nvpmodel \"$@\"\n", quoted(self.string()),
                     quoted(std::filesystem::absolute(state).string()));
}

Expected<void> mount(SimulatedFileTree& board, const Arguments& arguments, std::ostream& out) {
  return serve_mount(board, arguments.directory, nvpmodel_script(arguments.state), [&] {
    out << fmt::format("mounted {} at {}; SIGINT, SIGTERM or fusermount3 -u unmounts it\n",
                       board.board_name(), arguments.directory)
        << std::flush;
  });
}

// The command line, and which action it asks for (none: create, or nvpmodel).
class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", std::string("fulcrum-simboard ") + kVersion);
    app_.footer(
        "What the hardware does by itself, until the next boot:\n"
        "  set /simulated/over_current/oc3 N      N more over-current events (or oc1, oc2)\n"
        "  set /simulated/cpu_throttle N          the CPUs run N percent below what is set\n"
        "  set /simulated/foreign_gpu_load N      other programs use N thousandths of the GPU's time\n"
        "  set /simulated/temperature/TYPE VALUE  what the thermal zone says, in millidegrees;\n"
        "                                         off: it is powered off\n\n"
        "How nvpmodel behaves from then on, over boots as well:\n"
        "  set /simulated/nvpmodel works           as it should\n"
        "  set /simulated/nvpmodel chroot          as in a container: ignores what it is told to set\n"
        "  set /simulated/nvpmodel silent          says nothing, changes nothing, and succeeds\n"
        "  set /simulated/nvpmodel hangs           never ends\n"
        "  set /simulated/nvpmodel pending_reboot  wants a reboot for every mode, until it is answered "
        "yes\n\n"
        "Exit status: 0 done; 1 the board refused or failed; 2 the command line is wrong; 3 this machine\n"
        "cannot mount: /dev/fuse or the right to mount is missing. Of nvpmodel: 0 or 255.\n");
    app_.require_subcommand(1);
    app_.add_option("--state", arguments_.state, "The file that the board lives in")->required();

    auto* create_command = app_.add_subcommand("create", "Make a board, as after a boot into MAXN");
    create_command->add_option("--board", arguments_.board, "Which board")->capture_default_str();
    with_path(command(app_, "get", "Print what a node says", get))->required();
    auto* set_command = command(app_, "set", "Write a value to a node", set);
    with_path(set_command)->required();
    set_command
        ->add_option("VALUE", arguments_.value,
                     "What to write; a newline is added. Write -- before it if it begins with -")
        ->required();
    with_path(command(app_, "list", "List a directory", list));
    command(app_, "reboot", "Knobs as after boot, a new boot id; faults stay", reboot);
    add_fault_commands();
    add_mount_command();
    // Its options are its own, -h as well.
    nvpmodel_ = app_.add_subcommand("nvpmodel", "Run nvpmodel on the board, with the arguments that follow");
    nvpmodel_->set_help_flag();
    nvpmodel_->prefix_command();
  }

  CLI::App& app() { return app_; }
  const Arguments& arguments() const { return arguments_; }
  Action action() const { return action_; }
  bool is_nvpmodel() const { return nvpmodel_->parsed(); }
  std::vector<std::string> nvpmodel_arguments() const { return nvpmodel_->remaining(); }

 private:
  CLI::App* command(CLI::App& parent, const char* name, const char* description, Action chosen) {
    auto* added = parent.add_subcommand(name, description);
    added->callback([this, chosen] { action_ = chosen; });
    return added;
  }

  CLI::Option* with_path(CLI::App* command) {
    return command->add_option("PATH", arguments_.path, "A path as on the board, such as /sys/class/thermal");
  }

  void add_fault_commands() {
    auto* fault = app_.add_subcommand("fault", "What goes wrong with nodes");
    fault->require_subcommand(1);
    auto* add = command(*fault, "add", "Let something go wrong", add_fault);
    add->add_option("PATTERN", arguments_.path, "A path; * and ? match anything")->required();
    add->add_option("KIND", arguments_.kind, "write_error, ignore_write, read_error, frozen, block or absent")
        ->required();
    add->add_option("ERROR", arguments_.error_name, "For the two errors: such as EBUSY");
    add->add_option("--count", arguments_.count, "So many times; else, and for the last two, until cleared")
        ->check(CLI::PositiveNumber);
    command(*fault, "list", "One a line, in the order in which they are asked", list_faults);
    command(*fault, "clear", "Nothing goes wrong any more", clear_faults);
  }

  void add_mount_command() {
    auto* added = command(app_, "mount", "Serve the board as a file system, until it is unmounted", mount);
    added
        ->add_option("DIR", arguments_.directory,
                     "An empty directory, where the board's /sys appears as DIR/sys")
        ->required();
    added->add_option("--board", arguments_.board_if_new,
                      "Make this board first, if the state file is not there");
    added->footer(
        "Stays in the foreground and prints a line when the mount answers. SIGINT, SIGTERM, fusermount3 -u "
        "DIR\n"
        "and umount DIR end it; after a kill -9 the last two remove what is left. Mounted by root it is "
        "there\n"
        "for every user, with the modes of a board's sysfs; else for the one who mounted it.\n");
  }

  CLI::App app_{"Looks at a simulated board and changes it, as another program on the board would.",
                "fulcrum-simboard"};
  Arguments arguments_;
  Action action_ = nullptr;
  CLI::App* nvpmodel_ = nullptr;
};

Expected<void> make_if_new(const Arguments& arguments, const Clock& clock) {
  if (arguments.board_if_new.empty()) return {};
  auto made = SimulatedFileTree::create(arguments.state, arguments.board_if_new, clock);
  if (!made && made.error().code == ErrorCode::already_exists) return {};
  return made;
}

// The exit status.
Expected<int> run(const CommandLine& line, std::istream& in, std::ostream& out, std::ostream& err) {
  const Arguments& arguments = line.arguments();
  if (line.action() == nullptr && !line.is_nvpmodel()) {
    FULCRUM_TRY(create(arguments));
    return kSuccess;
  }
  const SystemClock clock;
  FULCRUM_TRY(make_if_new(arguments, clock));
  FULCRUM_TRY_ASSIGN(board, SimulatedFileTree::open(arguments.state, clock));
  if (line.is_nvpmodel()) return run_simulated_nvpmodel(*board, line.nvpmodel_arguments(), in, out, err);
  FULCRUM_TRY(line.action()(*board, arguments, out));
  return kSuccess;
}

}  // namespace

int run_simboard(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err) {
  CommandLine line;
  try {
    line.app().parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return line.app().exit(e, out, err) == 0 ? kSuccess : kUsage;
  }
  const auto status = run(line, in, out, err);
  if (status) return *status;
  err << "fulcrum-simboard: " << status.error().to_string() << '\n';
  return status.error().code == ErrorCode::unsupported ? kCannotMount : kRefused;
}

}  // namespace fulcrum
