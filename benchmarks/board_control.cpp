// What board control costs the daemon on every simulated board: CPU time of applying a mode, of reading all
// sensors, and of looking whether somebody has changed a knob; and whether a million readings make it grow.

#include <fmt/core.h>
#include <malloc.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/logging.h"
#include "powermode/board.h"
#include "powermode/board_catalogue.h"
#include "powermode/board_lease.h"
#include "powermode/simulated_file_tree.h"
#include "powermode/simulated_hardware.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::benchmarks {
namespace {

// Of all threads: sensors are read on one of their own.
double cpu_ms() {
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// The clock that the kernel bills CPU time by is coarse: so many calls in each of a few rounds; the median.
double median_ms(int calls, const std::function<void(int)>& call) {
  std::vector<double> rounds;
  for (int round = 0; round < 5; ++round) {
    const double before = cpu_ms();
    for (int i = 0; i < calls; ++i)
      call(i);
    rounds.push_back((cpu_ms() - before) / calls);
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

struct Subject {
  test::TempDir directory;
  SystemClock clock;
  std::unique_ptr<Board> board;

  explicit Subject(const std::string& name) {
    const auto state = directory / "board.json";
    must(SimulatedFileTree::create(state, name, clock));
    std::shared_ptr<FileTree> tree = must(SimulatedFileTree::open(state, clock));
    auto description = must(detect_board(*tree));
    board = must(Board::discover(std::move(tree), std::move(description), clock));
  }

  static void must(const Expected<void>& done) {
    if (!done) throw std::runtime_error(done.error().to_string());
  }
  template <class T>
  static T must(Expected<T> value) {
    if (!value) throw std::runtime_error(value.error().to_string());
    return std::move(*value);
  }
};

void read_sensors(const Board& board) {
  if (!board.read_power() || !board.read_throttle_events() || !board.read_gpu_load())
    throw std::runtime_error("a sensor failed");
  (void)board.read_temperature_c();
}

void report(const std::string& name) {
  Subject subject(name);
  Board& board = *subject.board;
  const double sensors_ms = median_ms(200, [&](int) { read_sensors(board); });
  if (!board.read_only().empty()) {
    fmt::print("{:16}  {:>8}  {:8.3f}  {:>8}\n", name, "-", sensors_ms, "-");
    return;
  }
  const auto lease =
      Subject::must(BoardLease::acquire(board, subject.directory / "state", make_null_logger()));
  const auto& levels = board.levels();
  const PowerMode modes[] = {{1, levels.cpu_khz.front(), levels.gpu_hz.front(), levels.emc_hz.front()},
                             board.highest_mode()};
  // From corner to corner: every knob turns each time.
  const double apply_ms = median_ms(20, [&](int i) { Subject::must(lease->apply(modes[i % 2])); });
  const double look_ms = median_ms(200, [&](int) { Subject::must(lease->foreign_changes()); });
  fmt::print("{:16}  {:8.3f}  {:8.3f}  {:8.3f}\n", name, apply_ms, sensors_ms, look_ms);
}

// Bytes in use by the program, as malloc knows.
std::size_t allocated() {
  return ::mallinfo2().uordblks;
}

void report_growth(int readings) {
  Subject subject("agx-orin");
  for (int i = 0; i < 1000; ++i)
    read_sensors(*subject.board);
  const auto before = allocated();
  for (int i = 0; i < readings; ++i) {
    if (!subject.board->read_power()) throw std::runtime_error("a sensor failed");
  }
  fmt::print("\n{} readings of power: {} bytes allocated before, {} after\n", readings, before, allocated());
}

int run(int argc, char** argv) {
  CLI::App app{"What board control costs on the simulated boards: CPU ms per call, of all threads."};
  int readings = 1'000'000;
  app.add_option("--readings", readings, "For the look at growth")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  // The simulated board is a file; what the disk's file system takes to replace it is not board control.
  if (std::filesystem::is_directory("/dev/shm"))
    ::setenv("TMPDIR", "/dev/shm", 0);  // NOLINT(concurrency-mt-unsafe): there is one thread
  fmt::print("{:16}  {:>8}  {:>8}  {:>8}\n", "board", "apply", "sensors", "look");
  for (const auto& name : powermode::simulated_board_names())
    report(name);
  report_growth(readings);
  return 0;
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  try {
    return fulcrum::benchmarks::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "board_control: {}\n", e.what());
    return 1;
  }
}
