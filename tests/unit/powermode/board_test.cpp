#include "powermode/board.h"

#include <gtest/gtest.h>

#include "powermode/real_file_tree.h"
#include "powermode/simulated_hardware.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::contains;
using test::kMaxn;
using test::SimulatedBoard;
namespace node = test::node;

TEST(Board, ReadsItsLevelsFromTheBoard) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  EXPECT_EQ(board->levels().cpu_cores.size(), 12U);
  EXPECT_EQ(board->levels().cpu_khz.size(), 29U);
  EXPECT_EQ(board->levels().gpu_hz.size(), 13U);
  EXPECT_EQ(board->levels().emc_hz,
            (std::vector<std::int64_t>{204000000, 665600000, 2133000000, 3199000000}));
  EXPECT_EQ(board->highest_mode(), kMaxn);
  EXPECT_EQ(board->averaging_window(), std::chrono::milliseconds(300));
}

PowerMode mode_of(const Board& board, const std::string& preset) {
  for (const auto& candidate : board.presets()) {
    if (candidate.name == preset) return candidate.mode;
  }
  ADD_FAILURE() << preset;
  return {};
}

TEST(Board, PresetsAreTheLevelsBelowTheirCaps) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  EXPECT_EQ(mode_of(*board, "MAXN"), kMaxn);
  EXPECT_EQ(mode_of(*board, "MODE_15W"), (PowerMode{4, 1113600, 318750000, 2133000000}));
  EXPECT_EQ(mode_of(*board, "MODE_30W"), (PowerMode{8, 1728000, 522750000, 3199000000}));
  EXPECT_EQ(mode_of(*board, "MODE_50W"), (PowerMode{12, 1497600, 726750000, 3199000000}));
  for (const auto& preset : board->presets())
    EXPECT_TRUE(board->check(preset.mode)) << preset.name;
}

TEST(Board, WithoutACatalogueItsPresetsAreThoseOfItsKind) {
  const SimulatedBoard simulated;
  simulated.fault("/etc/nvpmodel/*", Kind::read_error, "EIO");
  const auto board = simulated.discover();
  EXPECT_FALSE(board->catalogue().conf);
  EXPECT_EQ(mode_of(*board, "MODE_30W"), (PowerMode{8, 1728000, 522750000, 3199000000}));
  EXPECT_EQ(board->mode_named("MODE_30W").value(), mode_of(*board, "MODE_30W"));
}

TEST(Board, APresetThatGatesOtherPartsOfTheGpuNeedsAReboot) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  EXPECT_EQ(board->mode_named("MODE_50W").value(), mode_of(*board, "MODE_50W"));
  const auto error = board->mode_named("MODE_30W").error();
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_TRUE(contains(error.to_string(), "tpc_pg_mask' is 0, not 240")) << error.to_string();
  EXPECT_TRUE(contains(error.hint, "gpu_hz: 522750000")) << error.hint;
}

TEST(Board, KnowsThePresetThatWasAskedFor) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  ASSERT_NE(board->requested_preset(), nullptr);
  EXPECT_EQ(board->requested_preset()->name, "MAXN");
  simulated.fault("/var/lib/nvpmodel/status", Kind::read_error, "ENOENT");
  EXPECT_EQ(board->requested_preset(), nullptr);
}

// A fresh TX2 is at 2000 MHz of CPU and 1120 MHz of GPU, as its preset says, and neither is a level.
TEST(Board, ABoardThatBootedIntoAPresetIsInIt) {
  for (const auto& name : powermode::simulated_board_names()) {
    const auto hardware = powermode::SimulatedHardware::builtin(name);
    if (!hardware->nvpmodel) continue;
    for (const auto& mode : hardware->nvpmodel->modes) {
      const SimulatedBoard simulated(name);
      ASSERT_TRUE(simulated.set("/var/lib/nvpmodel/status", "pmode:" + std::to_string(mode.id)));
      ASSERT_TRUE(simulated.tree->reboot());
      const auto board = simulated.discover();
      ASSERT_NE(board->requested_preset(), nullptr);
      EXPECT_TRUE(board->reads_as(board->read_mode().value(), board->requested_preset()->mode))
          << name << ' ' << mode.name << ": " << board->read_mode()->to_string();
      EXPECT_EQ(board->why_unreachable(*board->requested_preset()), "");
    }
  }
}

TEST(Board, SuggestsThePresetThatWasMeant) {
  const SimulatedBoard simulated;
  const auto error = simulated.discover()->mode_named("MAXM").error();
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(error.hint, "did you mean 'MAXN'?");
}

TEST(Board, RefusesValuesThatAreNoLevelsAndNamesTheNearest) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  auto mode = kMaxn;
  mode.gpu_hz = 612000000;
  const auto error = board->check(mode).error();
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.field, "/gpu_hz");
  EXPECT_TRUE(contains(error.hint, "nearest: 522750000, 624750000")) << error.hint;
  EXPECT_EQ(board->check({13, 2201600, 1300500000, 3199000000}).error().field, "/cpu_cores");
  EXPECT_EQ(board->check({0, 2201600, 1300500000, 3199000000}).error().field, "/cpu_cores");
  EXPECT_EQ(board->check({1, 2201601, 1300500000, 3199000000}).error().field, "/cpu_khz");
  EXPECT_EQ(board->check({1, 2201600, 1300500000, 0}).error().field, "/emc_hz");
}

TEST(Board, TellsTheModeThatTheKernelTells) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  EXPECT_EQ(board->read_mode().value(), kMaxn);
  for (const int cpu : {8, 9, 10, 11, 3})
    ASSERT_TRUE(simulated.set(node::online(cpu), "0"));
  ASSERT_TRUE(simulated.set(node::cpu_max, "960000"));
  ASSERT_TRUE(simulated.set(node::cluster_max(4), "1728000"));
  ASSERT_TRUE(simulated.set(node::gpu_max, "318750000"));
  ASSERT_TRUE(simulated.set(node::emc_cap, "2200000000"));
  EXPECT_EQ(board->read_mode().value(), (PowerMode{7, 1728000, 318750000, 2133000000}));
  ASSERT_TRUE(simulated.set(node::emc_cap, "18446744073709551615"));
  EXPECT_EQ(board->read_mode()->emc_hz, 3199000000);
  ASSERT_TRUE(simulated.set(node::emc_locked, "1"));
  ASSERT_TRUE(simulated.set(node::emc_rate, "665600000"));
  EXPECT_EQ(board->read_mode()->emc_hz, 665600000);
}

TEST(Board, AModeThatCannotBeReadIsAnError) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  simulated.fault(node::gpu_max, Kind::read_error, "EIO");
  EXPECT_TRUE(contains(board->read_mode().error().to_string(), node::gpu_max));
}

TEST(Board, AMissingSampleIsAnErrorNever0W) {
  const SimulatedBoard simulated;
  const auto board = simulated.discover();
  ASSERT_TRUE(board->read_power());
  for (const char* error : {"EAGAIN", "ENODATA", "ENODEV"}) {
    simulated.fault("/sys/bus/i2c/*/1-0041/*/curr2_input", Kind::read_error, error);
    const auto sample = board->read_power();
    ASSERT_FALSE(sample) << error;
    EXPECT_TRUE(contains(sample.error().to_string(), "VDDQ_VDD2_1V8AO")) << sample.error().to_string();
    ASSERT_TRUE(simulated.tree->clear_faults());
  }
}

TEST(Board, KnowsItsBoot) {
  const SimulatedBoard simulated;
  EXPECT_EQ(simulated.discover()->boot_id().value(), simulated.get("/proc/sys/kernel/random/boot_id"));
}

TEST(Board, FindsItsSensorsUnderAnyHwmonNumber) {
  const SimulatedBoard simulated;
  const auto first = simulated.tree->list("/sys/bus/i2c/drivers/ina3221/1-0040/hwmon").value();
  ASSERT_TRUE(simulated.tree->reboot());
  EXPECT_NE(simulated.tree->list("/sys/bus/i2c/drivers/ina3221/1-0040/hwmon").value(), first);
  EXPECT_TRUE(simulated.discover()->read_power());
}

Error discovery_error(std::unique_ptr<FileTree> tree, const Clock& clock) {
  const auto board = Board::discover(std::move(tree), *builtin_board_description("agx-orin"), clock);
  EXPECT_FALSE(board);
  return board ? Error{} : board.error();
}

TEST(Board, OnAnotherMachineIsUnsupported) {
  const test::TempDir empty;
  const ManualClock clock;
  const auto error = discovery_error(*RealFileTree::open(empty.path()), clock);
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_TRUE(contains(error.to_string(), "this machine is no NVIDIA Jetson")) << error.to_string();
}

TEST(Board, OnAnotherJetsonIsUnsupportedAndSaysWhichItIs) {
  const SimulatedBoard simulated;
  auto description = *builtin_board_description("agx-orin");
  description.matches = {"p3668-0000"};
  const auto board = Board::discover(simulated.open_tree(), description, simulated.clock);
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, ErrorCode::unsupported);
  EXPECT_TRUE(contains(board.error().to_string(), "nvidia,p3701-0000"));
}

TEST(Board, WithoutANodeThatIsNeededIsUnavailableAndNamesIt) {
  const SimulatedBoard simulated;
  const auto error_with = [&](const std::function<void(BoardDescription&)>& change) {
    auto description = *builtin_board_description("agx-orin");
    change(description);
    const auto board = Board::discover(simulated.open_tree(), description, simulated.clock);
    EXPECT_FALSE(board);
    EXPECT_EQ(board.error().code, ErrorCode::unavailable);
    return board.error().to_string();
  };
  EXPECT_TRUE(contains(error_with([](auto& d) { d.gpu.devfreq = {"/sys/class/devfreq/no.gpu"}; }), "no.gpu"));
  EXPECT_TRUE(contains(error_with([](auto& d) { d.power.chips.pop_back(), d.power.sum.push_back("VDD_X"); }),
                       "VDD_X"));
  EXPECT_TRUE(contains(error_with([](auto& d) { d.power.chips = {{{}, "/sys/bus/i2c/9-0040"}}; }), "9-0040"));
  EXPECT_TRUE(contains(error_with([](auto& d) { d.cpu.directory = "/sys/no/cpu"; }), "/sys/no/cpu"));
}

TEST(Board, ACpuThatThisVariantDoesNotHaveIsNoPartOfIt) {
  const SimulatedBoard simulated;
  auto description = *builtin_board_description("agx-orin");
  description.cpu.clusters.push_back({12, 13});
  const auto board = Board::discover(simulated.open_tree(), description, simulated.clock);
  ASSERT_TRUE(board) << board.error().to_string();
  EXPECT_EQ((*board)->levels().cpu_cores.size(), 12U);
}

// Without debugfs nobody can turn the memory clock, nor on some releases tell it.
TEST(Board, WithoutDebugfsEveryBoardCanBeUsed) {
  for (const auto& name : powermode::simulated_board_names()) {
    const SimulatedBoard simulated(name);
    simulated.fault("/sys/kernel/debug/*", Kind::absent);
    const auto board = simulated.discover();
    EXPECT_EQ(board->levels().emc_hz.size(), 1U) << name;
    if (!board->read_only().empty()) continue;
    const auto lease = BoardLease::acquire(*board, simulated.state_dir(), make_null_logger());
    ASSERT_TRUE(lease) << lease.error().to_string();
    EXPECT_TRUE((*lease)->apply(board->lowest_mode())) << name;
  }
}

TEST(Board, AMemoryClockThatCannotBeControlledIsLeftAlone) {
  const SimulatedBoard simulated;
  auto description = *builtin_board_description("agx-orin");
  description.emc.clocks = {{"/sys/no/lock", {}, "/sys/no/rate", "/sys/no/rate", "/sys/no/rates", {}, {}}};
  const auto board = Board::discover(simulated.open_tree(), description, simulated.clock);
  ASSERT_TRUE(board) << board.error().to_string();
  EXPECT_EQ((*board)->levels().emc_hz, std::vector<std::int64_t>{3199000000});
  EXPECT_EQ((*board)->read_mode().value(), kMaxn);
  const auto& findings = (*board)->findings();
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.part == "memory clock" && finding.weight == Finding::Weight::disables;
  }));
}

TEST(Board, AnUnreadableTableIsAnError) {
  const SimulatedBoard simulated;
  simulated.fault(node::gpu_dir + "/available_frequencies", Kind::read_error, "EIO");
  EXPECT_TRUE(
      contains(discovery_error(simulated.open_tree(), simulated.clock).to_string(), "available_frequencies"));
}

}  // namespace
}  // namespace fulcrum
