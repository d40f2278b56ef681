#include "tests/integration/daemon_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "common/clock.h"
#include "powermode/simulated_file_tree.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::test {

namespace {

constexpr std::chrono::milliseconds kPoll{10};
constexpr std::chrono::seconds kPatience{120};

std::string told(const cli::Failure& failure) {
  std::string text;
  for (const auto& fault : failure.faults)
    text += fault.to_string() + "\n";
  return text;
}

}  // namespace

void wait_until(const std::string& what, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain for " + what);
    std::this_thread::sleep_for(kPoll);
  }
}

std::string program(const std::string& name) {
  return std::string(FULCRUM_BIN_DIR) + "/" + name;
}

bool process_exists(pid_t pid) {
  // A zombie is gone for our purposes; it may have been left to a parent that does not reap.
  const auto stat = slurp(fmt::format("/proc/{}/stat", pid));
  const auto after_name = stat.rfind(')');
  return after_name != std::string::npos && stat.substr(after_name + 2, 1) != "Z";
}

void wait_until_gone(pid_t pid) {
  wait_until(fmt::format("the end of process {}", pid), [pid] { return !process_exists(pid); });
}

ProgramResult run_program(const std::string& command) {
  ProgramResult result;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed for " + command);
  std::array<char, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
    result.output.append(chunk.data(), n);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

DaemonProcess::DaemonProcess(std::string directory, const std::string& worker_user, const std::string& mode,
                             const std::string& board)
    : directory_(std::move(directory)) {
  spill(directory_ + "/fulcrumd.yaml", fmt::format("state_dir: {}\nruntime_dir: {}/run\n{}{}"
                                                   "worker: {{user: \"{}\"}}\nrpc: {{group: \"\"}}\n",
                                                   state_dir(), directory_, board, mode, worker_user));
}

DaemonProcess::~DaemonProcess() {
  kill();
}

void DaemonProcess::start() {
  pid_ = ::fork();
  if (pid_ == 0) {
    const int log = ::open((directory_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(log, STDERR_FILENO);
    const std::string config = directory_ + "/fulcrumd.yaml";
    ::execl(program("fulcrumd").c_str(), "fulcrumd", "--config", config.c_str(), nullptr);
    ::_exit(127);
  }
  wait_until("fulcrumd to answer", [this] {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("fulcrumd has ended:\n" + log());
    }
    return cli::RpcClient::connect(socket()).has_value();
  });
}

int DaemonProcess::stop() {
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void DaemonProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

std::string DaemonProcess::log() const {
  return slurp(directory_ + "/log");
}

cli::RpcClient DaemonProcess::connect() const {
  auto client = cli::RpcClient::connect(socket());
  if (!client) throw std::runtime_error(told(client.error()) + log());
  return std::move(*client);
}

Json DaemonProcess::call(const std::string& method, const Json& params) const {
  auto answer = connect().call(method, params);
  if (!answer) throw std::runtime_error(method + ": " + told(answer.error()) + log());
  return *answer;
}

JobId DaemonProcess::submit(const Json& spec) const {
  return call("job.submit", {{"spec", spec}}).at("id").get<JobId>();
}

pid_t DaemonProcess::worker_pid() const {
  pid_t worker = 0;
  wait_until("the worker", [&] {
    const auto children = slurp(fmt::format("/proc/{0}/task/{0}/children", pid_));
    worker = children.empty() || children == "<absent>" ? 0 : std::stoi(children);
    return worker != 0;
  });
  return worker;
}

Json DaemonProcess::watch_until(JobId job, const std::function<bool(const Json& event)>& done) const {
  auto client = connect();
  if (auto watching = client.call("job.watch", {{"id", job}}); !watching)
    throw std::runtime_error(told(watching.error()));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    auto event = client.next_event(kPatience);
    if (!event)
      throw std::runtime_error(fmt::format("watching job {}: {}\n{}", job, told(event.error()), log()));
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error(
          fmt::format("watched job {} in vain; its last event: {}\n{}", job, event->dump(), log()));
    if (done(*event)) return *event;
    const auto state = event->value("state", "");
    if (state == "done" || state == "failed" || state == "cancelled") {
      throw std::runtime_error(fmt::format("job {} ended too early: {}\n{}", job, event->dump(), log()));
    }
  }
}

Json DaemonProcess::wait_for_result(JobId job) const {
  watch_until(job, [](const Json& event) { return event.value("state", "") == "done"; });
  return call("job.result", {{"id", job}}).at("result");
}

std::map<std::string, std::string> DaemonProcess::knobs() const {
  const SystemClock clock;
  auto tree = SimulatedFileTree::open(board_state(), clock);
  if (!tree) throw std::runtime_error(tree.error().to_string());
  std::map<std::string, std::string> knobs;
  const auto add = [&](const std::string& path) {
    const auto text = (*tree)->read(path);
    knobs[path] = text ? *text : text.error().to_string();
  };
  for (int cpu = 0; cpu < 12; ++cpu) {
    const auto directory = fmt::format("/sys/devices/system/cpu/cpu{}", cpu);
    if (cpu > 0) add(directory + "/online");
    for (const auto* name : {"scaling_min_freq", "scaling_max_freq"})
      add(directory + "/cpufreq/" + name);
  }
  for (const auto* name : {"min_freq", "max_freq"}) {
    add(std::string("/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/") + name);
  }
  add("/sys/kernel/nvpmodel_emc_cap/emc_iso_cap");
  for (const auto* name : {"rate", "mrq_rate_locked", "state"}) {
    add(std::string("/sys/kernel/debug/bpmp/debug/clk/emc/") + name);
  }
  return knobs;
}

}  // namespace fulcrum::test
