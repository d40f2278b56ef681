// What users of real boards have reported, each as a row: the board is brought into that state, and Fulcrum
// does the right thing. The numbers are those of the collection that the rows were taken from. Three of its
// rows are about what runs on the GPU, not about the board: two programs that slow each other down (24), one
// that keeps another waiting (25), and memory that is there but cannot be had (28).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "powermode/board_lease.h"
#include "powermode/nvpmodel_conf.h"
#include "powermode/nvpmodel_output.h"
#include "powermode/simulated_nvpmodel.h"
#include "powermode/simulated_sensors.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::SimulatedBoard;
using testing::AllOf;
using testing::HasSubstr;
namespace node = test::node;

// A board, and an nvpmodel that acts on it.
class Bench {
 public:
  explicit Bench(const std::string& board) : simulated(board) {
    test::spill(path_, "#!/bin/sh\nexec '" FULCRUM_BIN_DIR "/fulcrum-simboard' --state '" +
                           simulated.state_path() + "' nvpmodel \"$@\"\n");
    EXPECT_EQ(::chmod(path_.c_str(), 0755), 0);
  }

  NvpmodelProgram nvpmodel() const { return NvpmodelProgram(path_, std::chrono::seconds(60)); }

  Expected<std::unique_ptr<Board>> try_discover() const {
    std::shared_ptr<FileTree> tree = simulated.open_tree();
    FULCRUM_TRY_ASSIGN(description, detect_board(*tree));
    return Board::discover(std::move(tree), std::move(description), simulated.clock);
  }

  std::unique_ptr<BoardLease> lease(Board& board, bool through_nvpmodel = false) const {
    auto lease =
        BoardLease::acquire(board, simulated.state_dir(), make_null_logger(),
                            through_nvpmodel ? std::optional<NvpmodelProgram>(nvpmodel()) : std::nullopt);
    EXPECT_TRUE(lease) << lease.error().to_string();
    return std::move(*lease);
  }

  // A board whose live mask is none of its modes', as after a boot in which nvpmodel came too late.
  void set_live_mask(int mask) const {
    auto state = Json::parse(test::slurp(simulated.state_path()));
    state["gpu_masks"]["tpc_pg_mask"] = mask;
    test::spill(simulated.state_path(), state.dump());
  }

  SimulatedBoard simulated;

 private:
  const std::string path_ = simulated.directory / "nvpmodel";
};

PowerMode middle(const Board& board) {
  const auto& levels = board.levels();
  const auto of = [](const auto& values) { return values[values.size() / 2]; };
  return {of(levels.cpu_cores), of(levels.cpu_khz), of(levels.gpu_hz), of(levels.emc_hz)};
}

struct Row {
  int number;
  const char* report;
  const char* board;
  void (*check)(const Bench&);
};

void succeeds_and_does_nothing(const Bench& bench) {
  const auto board = bench.simulated.discover();
  ASSERT_TRUE(bench.simulated.set(kSimulatedNvpmodel, "chroot"));
  EXPECT_FALSE(bench.lease(*board, true)->apply(middle(*board))) << "the word of nvpmodel was taken";
  ASSERT_TRUE(bench.simulated.set(kSimulatedNvpmodel, "silent"));
  EXPECT_FALSE(bench.lease(*board, true)->apply(middle(*board))) << "the word of nvpmodel was taken";
  EXPECT_EQ(board->read_mode().value(), board->highest_mode());
}

void status_is_not_the_mode(const Bench& bench) {
  bench.set_live_mask(0);
  ASSERT_TRUE(bench.simulated.set("/var/lib/nvpmodel/status", "pmode:0001"));
  const auto board = bench.simulated.discover();
  ASSERT_NE(board->requested_preset(), nullptr);
  EXPECT_EQ(board->requested_preset()->name, "25W");
  EXPECT_NE(board->read_mode().value(), board->requested_preset()->mode);
  for (const auto& preset : board->presets())
    EXPECT_EQ(board->mode_named(preset.name).error().code, ErrorCode::unsupported) << preset.name;
  EXPECT_TRUE(bench.lease(*board)->apply(middle(*board))) << "knobs need no reboot";
}

void asks_for_a_reboot_for_the_present_mode(const Bench& bench) {
  ASSERT_TRUE(bench.simulated.set(kSimulatedNvpmodel, "pending_reboot"));
  const auto set = bench.nvpmodel().set(0);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::unsupported);
  EXPECT_EQ(bench.simulated.tree->state()->boots, 1) << "it was answered";
}

void gating_is_too_late(const Bench& bench) {
  const auto board = bench.simulated.discover();
  bench.simulated.fault("/sys/*/tpc_pg_mask", Kind::write_error, "EBUSY");
  const auto lease = bench.lease(*board, true);
  const auto applied = lease->apply(middle(*board));
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().to_string(), HasSubstr("tpc_pg_mask: 16"));
  EXPECT_EQ(board->read_mode().value(), board->highest_mode()) << "half a mode was left";
}

void is_applied_twice(const Bench& bench) {
  int writes = 0;
  const auto board = bench.simulated.discover(std::make_unique<test::WatchedTree>(
      bench.simulated.open_tree(), nullptr, [&](const std::string&, std::string_view) { ++writes; }));
  const auto lease = bench.lease(*board);
  ASSERT_TRUE(lease->apply(middle(*board)));
  EXPECT_GT(std::exchange(writes, 0), 0);
  ASSERT_TRUE(lease->apply(middle(*board)));
  EXPECT_EQ(writes, 0);
}

void comes_late(const Bench& bench, const std::string& pattern, const std::string& named) {
  bench.simulated.fault(pattern, Kind::absent);
  const auto early = bench.try_discover();
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::unavailable) << "whoever waits has to know that it may come";
  EXPECT_THAT(early.error().to_string(), HasSubstr(named));
  ASSERT_TRUE(bench.simulated.tree->clear_faults());
  EXPECT_TRUE(bench.try_discover());
}

void sensors_come_late(const Bench& bench) {
  comes_late(bench, "/sys/bus/i2c/drivers/ina3221/*", "no power sensor");
}

void gpu_comes_late(const Bench& bench) {
  comes_late(bench, "/sys/devices/platform/bus@0/17000000.gpu/devfreq", "no GPU frequency control");
}

void errors_behind_the_id(const Bench& bench) {
  bench.simulated.fault(node::emc_cap, Kind::read_error, "EACCES");
  const auto query = bench.nvpmodel().query();
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->mode_name, "MAXN");
  EXPECT_EQ(query->mode_id, 0);
  EXPECT_FALSE(query->errors.empty());
}

void nothing_was_ever_set(const Bench& bench) {
  bench.simulated.fault("/var/lib/nvpmodel/*", Kind::absent);
  const auto board = bench.simulated.discover();
  EXPECT_EQ(board->requested_preset(), nullptr);
  EXPECT_TRUE(bench.lease(*board)->apply(middle(*board)));
  const auto conf =
      parse_nvpmodel_conf("< PARAM TYPE=FILE NAME=X >\nA /x\n< POWER_MODEL ID=3 NAME=M >\nX A 1\n", "c");
  ASSERT_TRUE(conf);
  EXPECT_EQ(conf->default_id, std::nullopt);
  EXPECT_FALSE(conf->remarks.empty()) << "that there is no default was not told";
}

void two_chips_make_the_total(const Bench& bench) {
  const auto sample = bench.simulated.discover()->read_power();
  ASSERT_TRUE(sample);
  double sum = 0;
  double five_volts = 0;
  for (const auto& rail : sample->rails) {
    sum += rail.power_w;
    if (rail.name == "VIN_SYS_5V0") five_volts = rail.power_w;
  }
  EXPECT_EQ(sample->rails.size(), 4U) << "NC and sums are no rails";
  EXPECT_DOUBLE_EQ(sample->total_w, sum);
  EXPECT_LT(five_volts, 0.5 * sample->total_w);
}

void sensors_have_moved(const Bench& bench) {
  EXPECT_TRUE(bench.simulated.discover()->read_power()) << "hwmon";
  EXPECT_TRUE(Bench("agx-xavier").simulated.discover()->read_power()) << "iio";
}

void gpu_nodes_have_moved(const Bench& bench) {
  bench.simulated.fault("/sys/class/devfreq/*", Kind::absent);
  EXPECT_TRUE(bench.try_discover()) << "there are other paths to it";
  bench.simulated.fault("/sys/devices/platform/*/devfreq*", Kind::absent);
  EXPECT_EQ(bench.try_discover().error().code, ErrorCode::unavailable);
}

void zones_are_off(const Bench& bench) {
  const auto board = bench.simulated.discover();
  bench.simulated.fault("/sys/class/thermal/thermal_zone3/temp", Kind::block);
  EXPECT_EQ(board->read_temperature_c(), 46.5);
  EXPECT_TRUE(bench.simulated.tree->clear_faults());
}

void voltage_is_low(const Bench& bench) {
  const auto board = bench.simulated.discover();
  ASSERT_TRUE(bench.simulated.set(std::string(kSimulatedOverCurrent) + "/oc1", "7"));
  const auto counts = board->read_throttle_counts();
  ASSERT_TRUE(counts);
  for (const auto& count : *counts)
    EXPECT_EQ(count.events, count.cause == "low input voltage" ? 7 : 0) << count.cause;
}

// The comparators are faster than any reading: what counts is that a count grows, and of that of a moment,
// nothing.
void current_is_below_its_limit(const Bench& bench) {
  const auto board = bench.simulated.discover();
  const auto before = board->read_throttle_events().value().value();
  ASSERT_TRUE(bench.simulated.set(std::string(kSimulatedOverCurrent) + "/oc2", "2"));
  EXPECT_EQ(board->read_throttle_events().value().value(), before + 2);
  ASSERT_TRUE(bench.simulated.set(std::string(kSimulatedOverCurrent) + "/oc3", "9"));
  EXPECT_EQ(board->read_throttle_events().value().value(), before + 2);
  EXPECT_LT(board->read_power()->total_w, 20) << "no power limit is near";
}

void nvpmodel_runs_again(const Bench& bench) {
  const auto board = bench.simulated.discover();
  const auto lease = bench.lease(*board);
  const auto mode = middle(*board);
  ASSERT_TRUE(lease->apply(mode));
  EXPECT_TRUE(lease->foreign_changes()->empty());
  ASSERT_TRUE(bench.nvpmodel().set(0));  // as 'systemctl isolate' has it
  EXPECT_NE(board->read_mode().value(), mode);
  const auto changes = lease->foreign_changes();
  ASSERT_TRUE(changes && !changes->empty());
  EXPECT_THAT(changes->front().to_string(), AllOf(HasSubstr("/sys/"), HasSubstr(" was changed from ")));
  ASSERT_TRUE(lease->apply(mode));
  EXPECT_EQ(board->read_mode().value(), mode);
  EXPECT_TRUE(lease->foreign_changes()->empty());
}

void clocks_are_rounded(const Bench& bench) {
  const auto board = bench.simulated.discover();
  auto mode = board->highest_mode();
  mode.gpu_hz = 950000000;
  EXPECT_THAT(board->check(mode).error().hint, HasSubstr("nearest: 918000000, 1020000000"));
  ASSERT_TRUE(bench.simulated.set("/sys/class/devfreq/17000000.gpu/max_freq", "950000000"));
  EXPECT_EQ(board->read_mode()->gpu_hz, 1020000000) << "what holds is what is read";
}

void clocks_ramp(const Bench& bench) {
  const auto board = bench.simulated.discover();
  const auto lease = bench.lease(*board);
  ASSERT_TRUE(lease->apply(middle(*board)));
  const std::string gpu = "/sys/class/devfreq/57000000.gpu/";
  EXPECT_EQ(bench.simulated.get(gpu + "min_freq"), bench.simulated.get(gpu + "max_freq"));
  EXPECT_EQ(bench.simulated.get(gpu + "cur_freq"), bench.simulated.get(gpu + "max_freq")) << "idle, too";
}

void memory_is_in_the_cache(const Bench& bench) {
  const auto memory = bench.simulated.discover()->read_memory();
  EXPECT_GT(memory->available_bytes, std::int64_t{8123456} * 1024) << "MemFree does not count the page cache";
}

void cores_are_offline(const Bench& bench) {
  for (const int cpu : {2, 3, 4, 5})
    ASSERT_TRUE(bench.simulated.set(node::online(cpu), "0"));
  const auto board = bench.simulated.discover();
  EXPECT_EQ(board->read_mode()->cpu_cores, 2);
  EXPECT_EQ(board->levels().cpu_cores.size(), 6U) << "they can come back";
  const auto lease = bench.lease(*board);
  EXPECT_TRUE(lease->apply(middle(*board)));
  EXPECT_TRUE(lease->foreign_changes()->empty());
}

void firmware_has_a_ceiling(const Bench& bench) {
  const auto board = bench.simulated.discover();
  const std::string max = "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/max_freq";
  ASSERT_TRUE(bench.simulated.set(max, "612000000"));
  const auto before = board->read_mode().value();
  bench.simulated.fault(max, Kind::ignore_write);
  const auto applied = bench.lease(*board)->apply(board->highest_mode());
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().to_string(), HasSubstr("was set to 1020000000 but reads 612000000"));
  EXPECT_EQ(board->read_mode().value(), before);
}

// ... or the limits say what was asked for, and only the clock itself shows it.
void firmware_hides_its_ceiling(const Bench& bench) {
  const auto board = bench.simulated.discover();
  const std::string gpu = "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/";
  ASSERT_TRUE(bench.simulated.set(gpu + "max_freq", "612000000"));
  ASSERT_TRUE(bench.simulated.set(gpu + "min_freq", "612000000"));
  bench.simulated.fault(gpu + "cur_freq", Kind::frozen);
  const auto lease = bench.lease(*board);
  ASSERT_TRUE(lease->apply(board->highest_mode()));
  EXPECT_NEAR(board->read_gpu_slowdown().value(), 0.4, 0.01);
}

void firmware_limits_the_gpu(const Bench& bench) {
  firmware_has_a_ceiling(bench);
  firmware_hides_its_ceiling(Bench("orin-nano-super"));
}

void gpu_is_elsewhere(const Bench& bench) {
  bench.simulated.fault("/sys/devices/gpu.0", Kind::absent);
  EXPECT_TRUE(bench.try_discover()) << "its class knows where it is";
}

void prompts_without_a_terminal(const Bench& bench) {
  const auto before = bench.simulated.get("/var/lib/nvpmodel/status");
  const auto set = bench.nvpmodel().set(1);  // other masks
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().to_string(), HasSubstr("takes a reboot"));
  EXPECT_EQ(bench.simulated.get("/var/lib/nvpmodel/status"), before);
}

constexpr Row kRows[] = {
    {1, "the mode is set, the status changes, the clocks do not", "orin-nx", succeeds_and_does_nothing},
    {2, "boots at MAXN's clocks, the status says 25W", "orin-nano-super", status_is_not_the_mode},
    {3, "asks for a reboot for the mode that it is in", "agx-orin", asks_for_a_reboot_for_the_present_mode},
    {4, "EBUSY for the mask of the GPU", "agx-orin-32gb", gating_is_too_late},
    {6, "fails when applied twice", "agx-orin", is_applied_twice},
    {7, "no hwmon at boot", "xavier-nx", sensors_come_late},
    {8, "no devfreq at boot", "agx-orin-32gb", gpu_comes_late},
    {9, "errors behind the id", "agx-orin", errors_behind_the_id},
    {11, "no status, no default", "orin-nano", nothing_was_ever_set},
    {12, "the total is that of one rail", "agx-orin", two_chips_make_the_total},
    {14, "no power after an update of JetPack", "xavier-nx", sensors_have_moved},
    {15, "crashes because nodes have moved", "orin-nano-super", gpu_nodes_have_moved},
    {17, "hangs at a zone that is off", "agx-orin", zones_are_off},
    {19, "over-current at less than an ampere", "orin-nano", voltage_is_low},
    {20, "over-current below the limit", "orin-nano-super", current_is_below_its_limit},
    {22, "the clocks are lost for an hour and a half", "agx-orin", nvpmodel_runs_again},
    {23, "950 MHz become others", "orin-nano-super", clocks_are_rounded},
    {26, "fast and slow by turns", "nano", clocks_ramp},
    {27, "no memory, though there is", "agx-orin", memory_is_in_the_cache},
    {29, "wrong with cores offline", "xavier-nx", cores_are_offline},
    {30, "the GPU stays at a clock of the firmware's", "orin-nano-super", firmware_limits_the_gpu},
    {31, "no GPU at its path", "nano", gpu_is_elsewhere},
    {33, "over ssh it does nothing and says so to nobody", "orin-nx-super", prompts_without_a_terminal},
};

class ReportedTrouble : public testing::TestWithParam<Row> {};

TEST_P(ReportedTrouble, IsHandled) {
  SCOPED_TRACE(GetParam().report);
  GetParam().check(Bench(GetParam().board));
}

INSTANTIATE_TEST_SUITE_P(Row, ReportedTrouble, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::to_string(row.param.number); });

}  // namespace
}  // namespace fulcrum
