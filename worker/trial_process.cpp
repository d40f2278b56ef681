#include "worker/trial_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "common/unique_fd.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

namespace {

constexpr int kAnswerFd = 3;
constexpr std::chrono::milliseconds kLook{10};

Error trial_failed(std::string message, std::string hint = {}) {
  return fail(ErrorCode::unavailable, std::move(message), std::move(hint)).value();
}

// Text in memory behind a descriptor: neither side ever waits for the other to read.
Expected<UniqueFd> text_file(const std::string& text) {
  UniqueFd fd(::memfd_create("fulcrum-trial", MFD_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "creating a file in memory");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "writing to a file in memory");
    done += static_cast<std::size_t>(n);
  }
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "rewinding a file in memory");
  return fd;
}

std::string text_of(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  ::lseek(fd, 0, SEEK_SET);
  while (true) {
    const ssize_t n = ::read(fd, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

// Standard output is the models' to print to, and goes where the log goes.
Expected<pid_t> start_trial(const std::string& program, int question, int answer) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, question, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, answer, kAnswerFd);
  std::string name = "fulcrum-worker";
  std::string argument = kTrialArgument;
  std::array<char*, 3> argv{name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, fmt::format("starting '{}'", program));
  return pid;
}

// The child's wait status; none if it had to be killed.
std::optional<int> wait_for_trial(pid_t pid, const std::atomic<bool>& ending,
                                  std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (ending || std::chrono::steady_clock::now() >= deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(kLook);
  }
  return status;
}

std::vector<Error> verdict(std::optional<int> status, const std::string& answer, const JobSpec& spec,
                           std::chrono::milliseconds limit) {
  const auto at_model = [&spec](Error error) {
    error.field = spec.model.field();
    return std::vector<Error>{std::move(error)};
  };
  if (!status) {
    return at_model(trial_failed(fmt::format("{} was tried on a few samples and had not answered after {} s",
                                             spec.model.title(), limit.count() / 1000),
                                 "is it far too large for this board, or does it loop?"));
  }
  if (WIFSIGNALED(*status)) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): signal names are constants.
    const std::string signal = ::strsignal(WTERMSIG(*status));
    return at_model(trial_failed(
        fmt::format("{} was tried on a few samples, and its process died: {}", spec.model.title(), signal),
        WTERMSIG(*status) == SIGKILL ? "was there too little memory? see the kernel's log"
                                     : "run the same samples in Python to see where"));
  }
  auto message = parse_from_worker(answer);
  if (message) {
    if (auto* checked = std::get_if<JobChecked>(&*message)) return std::move(checked->faults);
  }
  return at_model(
      trial_failed(fmt::format("{} was tried on a few samples, and its process ended with status {} "
                               "and no verdict",
                               spec.model.title(), WEXITSTATUS(*status)),
                   "the worker's log says more"));
}

}  // namespace

std::vector<Error> run_trial_process(const JobSpec& spec, const std::atomic<bool>& ending,
                                     const TrialLimits& limits, const std::string& program) {
  auto question = text_file(fulcrum::to_line(spec.to_json()));
  if (!question) return {question.error()};
  auto answer = text_file("");
  if (!answer) return {answer.error()};
  const auto pid = start_trial(program, question->get(), answer->get());
  if (!pid) return {pid.error()};
  const auto status = wait_for_trial(*pid, ending, limits.time);
  return verdict(status, text_of(answer->get()), spec, limits.time);
}

int serve_trial(const std::function<std::vector<Error>(const JobSpec&)>& try_job) {
  constexpr int kLowPriority = 5;  // behind the jobs that run, but a client waits
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpriority(PRIO_PROCESS, 0, kLowPriority);
  const auto json = parse_json(text_of(STDIN_FILENO));
  if (!json) return 2;
  const auto spec = JobSpec::from_json(*json);
  std::string line = to_line(FromWorker(JobChecked{0, spec ? try_job(*spec) : spec.error()}));
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(kAnswerFd, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return 1;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace fulcrum::worker
