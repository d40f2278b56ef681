// The modes that the simulated nvpmodel sets, on every simulated board that has a catalogue.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "powermode/nvpmodel_conf.h"
#include "powermode/nvpmodel_output.h"
#include "powermode/presets.h"
#include "powermode/simulated_hardware.h"
#include "tests/unit/powermode/simulated_nvpmodel.h"

namespace fulcrum {
namespace {

using powermode::SimulatedHardware;
using test::run_nvpmodel;
using test::SimulatedBoard;

std::vector<std::string> boards_with_nvpmodel() {
  std::vector<std::string> boards;
  for (const auto& name : powermode::simulated_board_names()) {
    if (SimulatedHardware::builtin(name)->nvpmodel) boards.push_back(name);
  }
  return boards;
}

class SimulatedNvpmodelModes : public testing::TestWithParam<std::string> {
 protected:
  // A preset takes the level below a cap. Where a cap is no level, kernel 4.9 keeps it as it was written (the
  // CPU's up to its highest), and devfreq since 5.10 takes the level above.
  PowerMode as_the_kernel_takes_it(const Preset& preset) const {
    const auto& conf = *board_->catalogue().conf;
    const auto caps =
        nvpmodel_caps(conf, *conf.model(*preset.nvpmodel_id), hardware_.kernel.nvpmodel_uses_next_paths());
    PowerMode mode = preset.mode;
    const auto& levels = board_->levels();
    const bool keeps = hardware_.kernel.strict_limits();
    if (keeps && !caps.cpu_khz.empty())
      mode.cpu_khz = std::min(caps.cpu_khz.begin()->second, levels.cpu_khz.back());
    if (!caps.gpu_hz) return mode;
    const auto above = std::lower_bound(levels.gpu_hz.begin(), levels.gpu_hz.end(), *caps.gpu_hz);
    mode.gpu_hz = keeps ? *caps.gpu_hz : (above == levels.gpu_hz.end() ? levels.gpu_hz.back() : *above);
    return mode;
  }

  void expect_to_be_in(const Preset& preset) const {
    EXPECT_EQ(board_->read_mode().value(), as_the_kernel_takes_it(preset)) << preset.name;
    ASSERT_NE(board_->requested_preset(), nullptr) << preset.name;
    EXPECT_EQ(board_->requested_preset()->name, preset.name);
    const auto asked = run_nvpmodel(simulated_, {"-q"});
    EXPECT_EQ(asked.status, 0);
    const auto query = parse_nvpmodel_query(asked.output);
    ASSERT_TRUE(query) << query.error().to_string();
    EXPECT_EQ(query->mode_name, preset.name);
    EXPECT_EQ(query->mode_id, preset.nvpmodel_id);
    EXPECT_TRUE(query->errors.empty()) << query->errors.front();
  }

  void set_live(const Preset& preset) const {
    const auto run = run_nvpmodel(simulated_, {"-m", std::to_string(*preset.nvpmodel_id)});
    EXPECT_EQ(judge_nvpmodel_run(run.output, run.status).outcome, NvpmodelOutcome::accepted) << run.output;
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.output, "");
  }

  void set_with(const Preset& preset, const std::string& answer, NvpmodelOutcome outcome) const {
    const auto run = run_nvpmodel(simulated_, {"-m", std::to_string(*preset.nvpmodel_id)}, answer);
    EXPECT_EQ(judge_nvpmodel_run(run.output, run.status).outcome, outcome) << run.output;
    EXPECT_EQ(run.status, outcome == NvpmodelOutcome::rebooting ? 0 : 255);
  }

  const SimulatedBoard simulated_{GetParam()};
  const SimulatedHardware hardware_ = *SimulatedHardware::builtin(GetParam());
  const std::unique_ptr<Board> board_ = simulated_.discover();
};

TEST_P(SimulatedNvpmodelModes, OneThatIsLiveIsTheModeThatIsThenRead) {
  for (const auto& before : board_->presets()) {
    for (const auto& preset : board_->presets()) {
      if (!board_->why_unreachable(before).empty() || !board_->why_unreachable(preset).empty()) continue;
      set_live(before);
      set_live(preset);
      expect_to_be_in(preset);
    }
  }
}

TEST_P(SimulatedNvpmodelModes, OneThatGatesOtherPartsOfTheGpuHoldsAfterTheReboot) {
  for (const auto& preset : board_->presets()) {
    if (board_->why_unreachable(preset).empty()) continue;
    const auto before = simulated_.tree->state()->to_json();
    set_with(preset, "", NvpmodelOutcome::needs_reboot);
    set_with(preset, "no\n", NvpmodelOutcome::needs_reboot);
    EXPECT_EQ(simulated_.tree->state()->to_json(), before) << preset.name;
    set_with(preset, "yes\n", NvpmodelOutcome::rebooting);
    EXPECT_EQ(simulated_.tree->state()->boots, before.at("boots").get<int>() + 1);
    EXPECT_EQ(board_->why_unreachable(preset), "");
    expect_to_be_in(preset);
    set_live(preset);
    expect_to_be_in(preset);
  }
}

// Nothing else is left over from the mode before.
TEST_P(SimulatedNvpmodelModes, OneThatIsLiveIsTheOneThatTheBoardBootsInto) {
  for (const auto& preset : board_->presets()) {
    if (!board_->why_unreachable(preset).empty()) continue;
    set_live(preset);
    const auto live = board_->read_mode().value();
    ASSERT_TRUE(simulated_.tree->reboot());
    EXPECT_EQ(board_->read_mode().value(), live) << preset.name;
    expect_to_be_in(preset);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SimulatedNvpmodelModes, testing::ValuesIn(boards_with_nvpmodel()),
                         [](const auto& board) {
                           auto name = board.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace fulcrum
