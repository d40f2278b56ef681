#pragma once
// A simulated board in a directory of the test's own, on a clock of the test's own.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/logging.h"
#include "powermode/board.h"
#include "powermode/board_catalogue.h"
#include "powermode/board_lease.h"
#include "powermode/simulated_file_tree.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::test {

// Of the simulated AGX Orin.
inline constexpr PowerMode kMaxn{12, 2201600, 1300500000, 3199000000};

namespace node {
// NOLINTBEGIN(readability-identifier-naming): named as functions are, since some of them are.
inline const std::string cpu_dir = "/sys/devices/system/cpu";
inline const std::string cpu_min = cpu_dir + "/cpufreq/policy0/scaling_min_freq";
inline const std::string cpu_max = cpu_dir + "/cpufreq/policy0/scaling_max_freq";
inline const std::string gpu_dir = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b";
inline const std::string gpu_min = gpu_dir + "/min_freq";
inline const std::string gpu_max = gpu_dir + "/max_freq";
inline const std::string emc_cap = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
inline const std::string emc_dir = "/sys/kernel/debug/bpmp/debug/clk/emc";
inline const std::string emc_locked = emc_dir + "/mrq_rate_locked";
inline const std::string emc_rate = emc_dir + "/rate";
// NOLINTEND(readability-identifier-naming)
inline std::string online(int cpu) {
  return cpu_dir + "/cpu" + std::to_string(cpu) + "/online";
}
inline std::string cluster_max(int first_cpu) {
  return cpu_dir + "/cpufreq/policy" + std::to_string(first_cpu) + "/scaling_max_freq";
}
}  // namespace node

// Hands every call on, and tells of each write before and after it happens.
class WatchedTree final : public FileTree {
 public:
  using Watch = std::function<void(const std::string& path, std::string_view value)>;

  WatchedTree(std::unique_ptr<FileTree> tree, Watch before, Watch after)
      : tree_(std::move(tree)), before_(std::move(before)), after_(std::move(after)) {}

  Expected<std::string> read(const std::string& path) const override { return tree_->read(path); }
  Expected<void> write(const std::string& path, std::string_view value) override {
    if (before_) before_(path, value);
    auto written = tree_->write(path, value);
    if (after_) after_(path, value);
    return written;
  }
  Expected<std::vector<std::string>> list(const std::string& path) const override {
    return tree_->list(path);
  }
  bool exists(const std::string& path) const override { return tree_->exists(path); }
  Expected<std::string> readlink(const std::string& path) const override { return tree_->readlink(path); }

 private:
  std::unique_ptr<FileTree> tree_;
  Watch before_;
  Watch after_;
};

class SimulatedBoard {
 public:
  explicit SimulatedBoard(const std::string& name = "agx-orin") {
    clock.set(from_ns(5'000'000'000));
    EXPECT_TRUE(SimulatedFileTree::create(state_path(), name, clock));
    tree = open_tree();
  }

  std::string state_path() const { return directory / "board.json"; }
  std::string state_dir() const { return directory / "state"; }
  std::string saved_path() const { return directory / "state/saved-knobs.json"; }

  std::unique_ptr<SimulatedFileTree> open_tree() const {
    auto opened = SimulatedFileTree::open(state_path(), clock);
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  std::unique_ptr<Board> discover(std::unique_ptr<FileTree> through = nullptr) const {
    if (!through) through = open_tree();
    auto description = detect_board(*through);
    EXPECT_TRUE(description) << description.error().to_string();
    auto board = Board::discover(std::move(through), *description, clock);
    EXPECT_TRUE(board) << board.error().to_string();
    return std::move(*board);
  }

  // What a node says, without the newline; or the error.
  std::string get(const std::string& path) const {
    const auto text = tree->read(path);
    if (!text) return text.error().to_string();
    return text->substr(0, text->find('\n'));
  }
  bool set(const std::string& path, const std::string& value) const {
    return tree->write(path, value).has_value();
  }

  void fault(const std::string& pattern, SimulatedFault::Kind kind, const std::string& error = {},
             std::optional<int> count = std::nullopt) const {
    EXPECT_TRUE(tree->add_fault({pattern, kind, error, count, {}}));
  }

  TempDir directory;
  ManualClock clock;
  std::unique_ptr<SimulatedFileTree> tree;  // as another program has it
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace fulcrum::test
