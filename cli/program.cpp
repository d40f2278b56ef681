#include "cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>

#include "cli/commands.h"
#include "cli/text.h"
#include "common/version.h"

namespace fulcrum::cli {

namespace {

constexpr int kUsageStatus = 2;

constexpr const char* kFooter =
    "Exit status: 0 ok; 1 the daemon refused, the job failed or was cancelled, or the board is not fit\n"
    "(board doctor); 2 wrong usage; 3 the daemon cannot be reached.";

int status_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::refused:
      return 1;
    case FailureKind::usage:
      return kUsageStatus;
    case FailureKind::unreachable:
      return 3;
  }
  return 1;
}

// What the arguments ask for.
struct Request {
  GlobalOptions options;
  SubmitOptions submit;
  std::string job;
  std::optional<std::string> any_job;
  std::optional<std::string> method;
  bool explain = false;
  std::string watts;
  std::optional<std::string> workload;
  bool all = false;
  int probes = 0;
  ExportOptions exporting;
  ImportOptions importing;
  TraceOptions tracing;
  std::function<Outcome<void>(Commands&)> run;
};

void add_submit(CLI::App& app, Request& request) {
  auto* command = app.add_subcommand("submit", "Hand in a job: a spec in YAML or JSON");
  command
      ->add_option("file", request.submit.file,
                   "The spec; '-' for standard input. Paths in it are relative to it.")
      ->required();
  command->add_option("--token", request.submit.token,
                      "Hand in only once: the same token again is the same job");
  command->add_flag("--dry-run", request.submit.dry_run, "Check everything, submit nothing");
  command->add_flag("--wait", request.submit.wait, "Show progress until the job ends");
  command->callback(
      [&] { request.run = [&](Commands& commands) { return commands.submit(request.submit); }; });
}

using PlainCommand = Outcome<void> (Commands::*)();
void add_plain(CLI::App& app, Request& request, const char* name, const char* help, PlainCommand run) {
  app.add_subcommand(name, help)->callback([&request, run] {
    request.run = [run](Commands& commands) { return (commands.*run)(); };
  });
}

using JobCommand = Outcome<void> (Commands::*)(const std::string&);
void add_for_job(CLI::App& app, Request& request, const char* name, const char* help, JobCommand run) {
  auto* command = app.add_subcommand(name, help);
  command->add_option("id", request.job, "The job's number, or its name if no other job has it")->required();
  command->callback([&request, run] {
    request.run = [&request, run](Commands& commands) { return (commands.*run)(request.job); };
  });
}

void add_plan(CLI::App& app, Request& request) {
  auto* command = app.add_subcommand("plan", "What runs now, and in which power mode");
  command->add_flag("--explain", request.explain, "Why: the budgets, what binds, the runner-up, the search");
  command->callback(
      [&] { request.run = [&](Commands& commands) { return commands.plan(request.explain); }; });
}

void add_budget(CLI::App& app, Request& request) {
  auto* budget = app.add_subcommand("budget", "The power budget: show, set or reset it");
  budget->require_subcommand(0, 1);
  add_plain(*budget, request, "get", "Show it (as without a word)", &Commands::budget);
  auto* set = budget->add_subcommand("set", "Set it, in place of the configuration's");
  set->add_option("watts", request.watts, "A positive number of watts, or 'none'")->required();
  set->callback(
      [&] { request.run = [&](Commands& commands) { return commands.set_budget(request.watts); }; });
  add_plain(*budget, request, "reset", "Take the configuration's again", &Commands::reset_budget);
  budget->callback([&] {  // after those of its commands
    if (!request.run) request.run = [](Commands& commands) { return commands.budget(); };
  });
}

void add_board(CLI::App& app, Request& request) {
  auto* board =
      app.add_subcommand("board", "The board: mode, power, presets, sensors, and whether it will do");
  board->require_subcommand(0, 1);
  add_plain(*board, request, "show", "Its mode, its power, its knobs (as without a word)", &Commands::board);
  add_plain(*board, request, "modes", "Its presets, and which of them need a reboot", &Commands::board_modes);
  add_plain(*board, request, "sensors", "What its sensors say now", &Commands::board_sensors);
  add_plain(*board, request, "doctor",
            "What was found, what is missing and what to do; exit status 1: it is not fit",
            &Commands::board_doctor);
  board->callback([&] {  // after those of its commands
    if (!request.run) request.run = [](Commands& commands) { return commands.board(); };
  });
}

std::string fault_of_fingerprint(const std::string& text) {
  const bool good = text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? "" : "must be 16 hexadecimal digits, in lower case; 'fulcrumctl profile list' shows them";
}

CLI::Option* add_workload(CLI::App& command, std::optional<std::string>& workload) {
  return command.add_option("--workload", workload, "Only those of the workload with this fingerprint")
      ->check(fault_of_fingerprint)
      ->type_name("FINGERPRINT");
}

void add_profile(CLI::App& app, Request& request) {
  auto* profile = app.add_subcommand("profile", "What workloads cost in each power mode, as measured");
  profile->require_subcommand(1);
  auto* list = profile->add_subcommand("list", "The profiles");
  add_workload(*list, request.workload);
  list->callback(
      [&] { request.run = [&](Commands& commands) { return commands.profiles(request.workload); }; });

  auto* forget = profile->add_subcommand("forget", "Forget measurements, so that they are taken again");
  auto* which = forget->add_option_group("which")->require_option(1);
  add_workload(*which, request.workload);
  which->add_flag("--all", request.all, "Those of every workload");
  forget->callback(
      [&] { request.run = [&](Commands& commands) { return commands.forget_profiles(request.workload); }; });

  auto* explore = profile->add_subcommand(
      "explore", "Measure the jobs that run in more modes, for power budgets not yet set");
  explore->add_option("--probes", request.probes, "At most so many measurements; 0 ends it")
      ->required()
      ->check(CLI::Range(0, 10000));
  explore->callback(
      [&] { request.run = [&](Commands& commands) { return commands.explore_profiles(request.probes); }; });

  auto* exporting = profile->add_subcommand("export", "Write measurements for other boards of this kind");
  add_workload(*exporting, request.exporting.workload);
  exporting->add_option("-o,--output", request.exporting.file, "The file; without it standard output");
  exporting->callback(
      [&] { request.run = [&](Commands& commands) { return commands.export_profiles(request.exporting); }; });

  auto* importing = profile->add_subcommand("import", "Take in what another board has exported");
  importing->add_option("file", request.importing.file, "The file; '-' for standard input")->required();
  importing->add_flag("--equal-board", request.importing.equal_board,
                      "Take measurements of a board with another name: it is equal to this one");
  importing->callback(
      [&] { request.run = [&](Commands& commands) { return commands.import_profiles(request.importing); }; });
}

void add_trace(CLI::App& app, Request& request) {
  auto* command = app.add_subcommand("trace", "What the device did of late, slice by slice, for Perfetto");
  command->add_option("--seconds", request.tracing.seconds, "How far back, at most an hour")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  command->add_option("-o,--output", request.tracing.file, "The file; without it standard output");
  command->callback(
      [&] { request.run = [&](Commands& commands) { return commands.trace(request.tracing); }; });
}

void add_commands(CLI::App& app, Request& request) {
  add_submit(app, request);
  add_plain(app, request, "list", "All jobs", &Commands::list);
  add_for_job(app, request, "get", "One job, with its spec", &Commands::get);
  add_for_job(app, request, "result", "What a job has achieved", &Commands::result);
  auto* watch = app.add_subcommand("watch", "Live progress of one job until it ends, or of all");
  watch->add_option("id", request.any_job, "The job's number or name");
  watch->callback([&] { request.run = [&](Commands& commands) { return commands.watch(request.any_job); }; });
  add_for_job(app, request, "cancel", "End a job", &Commands::cancel);
  add_plan(app, request);
  add_trace(app, request);
  add_budget(app, request);
  add_profile(app, request);
  add_board(app, request);
  auto* describe = app.add_subcommand("describe", "The methods of the control socket");
  describe->add_option("method", request.method, "One of them, with its JSON Schemas");
  describe->callback(
      [&] { request.run = [&](Commands& commands) { return commands.describe(request.method); }; });
  add_plain(app, request, "version", "The versions of this program and of the daemon", &Commands::version);
}

void print_faults(const Failure& failure, std::ostream& err) {
  for (const auto& fault : failure.faults)
    err << "fulcrumctl: " << printable(fault.to_string()) << "\n";
}

}  // namespace

int run(std::vector<std::string> arguments, Terminal& terminal) {
  CLI::App app("fulcrumctl: hand jobs to fulcrumd, and see what becomes of them", "fulcrumctl");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string("fulcrumctl ") + kVersion);
  Request request;
  app.add_option("--socket", request.options.socket, "The daemon's control socket")
      ->envname("FULCRUM_SOCKET")
      ->capture_default_str();
  app.add_flag("--json", request.options.json, "Print results as JSON, for scripts");
  add_commands(app, request);

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return app.exit(e, terminal.out, terminal.err) == 0 ? 0 : kUsageStatus;
  }
  Commands commands(request.options, terminal);
  const auto outcome = request.run(commands);
  if (outcome) return 0;
  print_faults(outcome.error(), terminal.err);
  return status_of(outcome.error().kind);
}

}  // namespace fulcrum::cli
