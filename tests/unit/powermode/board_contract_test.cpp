// What holds on every board: discovery, modes, presets, sensors, and knobs that come back; seen directly, and
// through the kernel as a mounted tree.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "powermode/real_file_tree.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_power.h"
#include "powermode/simulated_sensors.h"
#include "tests/unit/powermode/mounted_board.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using powermode::SimulatedHardware;
using test::SimulatedBoard;

// A simulated board, seen through one of its fronts.
class BoardContract : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  const std::string name_ = std::get<0>(GetParam());
  const bool is_mounted_ = std::get<1>(GetParam());
  const SimulatedHardware hardware_ = *SimulatedHardware::builtin(name_);

  void SetUp() override {
    if (is_mounted_) {
      mounted_ = std::make_unique<test::MountedBoard>(name_);
      if (!mounted_->refused().empty()) GTEST_SKIP() << mounted_->refused();
    } else {
      direct_ = std::make_unique<SimulatedBoard>(name_);
    }
    board_ = discover();
  }

  SimulatedFileTree& tree() const { return is_mounted_ ? mounted_->tree() : *direct_->tree; }
  std::string state_dir() const { return is_mounted_ ? mounted_->state_dir() : direct_->state_dir(); }
  const Clock& clock() const {
    return is_mounted_ ? static_cast<const Clock&>(system_clock_) : direct_->clock;
  }

  std::unique_ptr<Board> discover() const {
    std::shared_ptr<FileTree> seen;
    if (is_mounted_) {
      seen = *RealFileTree::open(mounted_->mountpoint());
    } else {
      seen = direct_->open_tree();
    }
    auto description = detect_board(*seen);
    EXPECT_TRUE(description) << description.error().to_string();
    auto board = Board::discover(seen, *description, clock());
    EXPECT_TRUE(board) << board.error().to_string();
    return std::move(*board);
  }

  PowerMode middle() const {
    const auto& levels = board_->levels();
    const auto of = [](const auto& values) { return values[values.size() / 2]; };
    return {of(levels.cpu_cores), of(levels.cpu_khz), of(levels.gpu_hz), of(levels.emc_hz)};
  }

  const SystemClock system_clock_{};
  std::unique_ptr<SimulatedBoard> direct_;
  std::unique_ptr<test::MountedBoard> mounted_;
  std::unique_ptr<Board> board_;
};

TEST_P(BoardContract, IsWhatItsDeviceTreeSays) {
  const auto ids = builtin_board_ids();
  EXPECT_NE(std::find(ids.begin(), ids.end(), board_->id()), ids.end()) << board_->id();
  EXPECT_NE(board_->id(), "jetson");
}

TEST_P(BoardContract, HasTheLevelsOfItsHardware) {
  const auto& levels = board_->levels();
  EXPECT_EQ(static_cast<int>(levels.cpu_cores.size()), hardware_.cpu_count());
  EXPECT_EQ(levels.cpu_khz, hardware_.cpu.levels_khz);
  EXPECT_EQ(levels.gpu_hz, hardware_.gpu.levels_hz);
  if (board_->read_only().empty()) {
    EXPECT_EQ(levels.emc_hz, hardware_.emc.levels_hz);
  } else {
    EXPECT_EQ(levels.emc_hz, std::vector<std::int64_t>{hardware_.emc.levels_hz.back()});
  }
}

TEST_P(BoardContract, BootsIntoItsHighestMode) {
  EXPECT_EQ(board_->read_mode().value(), board_->highest_mode());
  if (!hardware_.nvpmodel) return;
  ASSERT_NE(board_->requested_preset(), nullptr);
  EXPECT_EQ(board_->requested_preset()->mode, board_->highest_mode());
  EXPECT_EQ(board_->why_unreachable(*board_->requested_preset()), "");
}

TEST_P(BoardContract, HasThePresetsOfItsCatalogue) {
  ASSERT_EQ(board_->catalogue().conf.has_value(), hardware_.nvpmodel.has_value())
      << board_->catalogue().trouble;
  if (!hardware_.nvpmodel) return;
  EXPECT_TRUE(board_->catalogue().conf->remarks.empty()) << board_->catalogue().conf->remarks.front();
  ASSERT_EQ(board_->presets().size(), hardware_.nvpmodel->modes.size());
  for (std::size_t i = 0; i < board_->presets().size(); ++i) {
    const auto& preset = board_->presets()[i];
    const auto& mode = hardware_.nvpmodel->modes[i];
    EXPECT_EQ(preset.name, mode.name);
    EXPECT_EQ(preset.nvpmodel_id, mode.id);
    EXPECT_EQ(preset.mode.cpu_cores, mode.cpus.value_or(hardware_.cpu_count())) << mode.name;
    EXPECT_TRUE(preset.differences.empty()) << mode.name << ": " << preset.differences.front();
    EXPECT_TRUE(board_->check(preset.mode)) << mode.name;
    const bool same_masks = mode.masks == hardware_.gpu.masks;
    EXPECT_EQ(board_->why_unreachable(preset).empty(), same_masks) << mode.name;
  }
}

// Of the time before anybody looked, and of what its sensors say it is.
TEST_P(BoardContract, ItsPowerIsTheWholeBoards) {
  const auto sample = board_->read_power();
  ASSERT_TRUE(sample) << sample.error().to_string();
  const auto state = tree().state().value();
  const auto truth =
      powermode::mean_power_w(hardware_, state, *SimulatedWorkloads::builtin(name_), to_ns(clock().now()));
  EXPECT_NEAR(sample->total_w, truth.value(), 0.005 * truth.value() + 0.05);
  const Duration told = hardware_.sensor_age + hardware_.sensor_window;
  EXPECT_GE(board_->averaging_window(), told) << "readings tell of time before the window";
}

// Its hwmon numbers are others then.
TEST_P(BoardContract, HasItsSensorsInTheNextBootAsWell) {
  ASSERT_TRUE(tree().reboot());
  const auto board = discover();
  EXPECT_TRUE(board->read_power());
  EXPECT_EQ(board->levels().gpu_hz, hardware_.gpu.levels_hz);
}

TEST_P(BoardContract, TellsTemperatureMemoryAndLoad) {
  const auto temperature_c = board_->read_temperature_c();
  ASSERT_TRUE(temperature_c);
  EXPECT_GT(*temperature_c, 20);
  EXPECT_LT(*temperature_c, 60) << "a zone that is none was taken for one";
  EXPECT_GT(board_->read_memory()->available_bytes, 0);
  EXPECT_EQ(board_->read_gpu_load().value().has_value(), hardware_.gpu.load);
  EXPECT_EQ(board_->read_throttle_events().value().has_value(), hardware_.over_current);
}

TEST_P(BoardContract, EveryKnobComesBackFromEveryCorner) {
  const auto before = tree().state()->to_json();
  auto lease = BoardLease::acquire(*board_, state_dir(), make_null_logger());
  if (!board_->read_only().empty()) {
    ASSERT_FALSE(lease) << "it is not to be turned";
    EXPECT_EQ(lease.error().code, ErrorCode::unsupported);
    return;
  }
  ASSERT_TRUE(lease) << lease.error().to_string();
  const auto& levels = board_->levels();
  const PowerMode lowest{1, levels.cpu_khz.front(), levels.gpu_hz.front(), levels.emc_hz.front()};
  for (const auto& mode : {middle(), lowest, board_->highest_mode(), middle(), lowest}) {
    const auto applied = (*lease)->apply(mode);
    ASSERT_TRUE(applied) << applied.error().to_string();
    EXPECT_EQ(board_->read_mode().value(), mode);
  }
  const auto report = (*lease)->release();
  EXPECT_TRUE(report.complete()) << report.summary();
  auto after = tree().state()->to_json();
  for (const char* key : {"cpu_online", "cpu_clusters_khz", "gpu_hz", "values", "gpu_masks", "nvpmodel_id"})
    EXPECT_EQ(after.at(key), before.at(key)) << key;
  EXPECT_EQ(board_->read_mode().value(), board_->highest_mode());
  EXPECT_FALSE(after.at("emc").at("locked").get<bool>());
}

INSTANTIATE_TEST_SUITE_P(Every, BoardContract,
                         testing::Combine(testing::ValuesIn(powermode::simulated_board_names()),
                                          testing::Bool()),
                         [](const auto& board) {
                           auto name = std::get<0>(board.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (std::get<1>(board.param) ? "_mounted" : "_direct");
                         });

}  // namespace
}  // namespace fulcrum
