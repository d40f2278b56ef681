// What a board tells of its temperature and of the hardware's own throttling.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "powermode/simulated_sensors.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::contains;
namespace node = test::node;

class BoardSensors : public testing::Test {
 protected:
  std::unique_ptr<Board> discover(const std::function<void(BoardDescription&)>& change = [](auto&) {}) const {
    auto description = *builtin_board_description("agx-orin");
    change(description);
    auto board = Board::discover(simulated_.open_tree(), description, simulated_.clock);
    EXPECT_TRUE(board) << board.error().to_string();
    return std::move(*board);
  }
  void heat(const std::string& type, const std::string& value) const {
    ASSERT_TRUE(simulated_.set(kSimulatedTemperature + ("/" + type), value)) << type;
  }
  void throttle(int alarm, int events) const {
    ASSERT_TRUE(simulated_.set(kSimulatedOverCurrent + fmt::format("/oc{}", alarm), std::to_string(events)));
  }
  std::vector<std::string> zone_types() const { return *simulated_.tree->list(kSimulatedTemperature); }
  std::string counters() const {
    const std::string hwmon = "/sys/devices/platform/soctherm-oc-event/hwmon";
    return hwmon + "/" + simulated_.tree->list(hwmon)->front();
  }

  const test::SimulatedBoard simulated_;
};

TEST_F(BoardSensors, TemperatureIsThatOfTheHottestZone) {
  const auto board = discover();
  EXPECT_EQ(board->read_temperature_c(), 46.5);
  heat("soc1-thermal", "71250");
  EXPECT_EQ(board->read_temperature_c(), 71.25);
}

TEST_F(BoardSensors, AZoneThatIsPoweredOffIsLeftOut) {
  const auto board = discover();
  heat("tj-thermal", "off");
  heat("cpu-thermal", "off");
  EXPECT_EQ(board->read_temperature_c(), 44.5);
}

TEST_F(BoardSensors, AZoneThatComesOnIsReadAgain) {
  const auto board = discover();
  heat("cv1-thermal", "63000");
  EXPECT_EQ(board->read_temperature_c(), 63);
}

TEST_F(BoardSensors, AZoneToBeIgnoredIsLeftOut) {
  const auto board = discover([](auto& d) { d.thermal.ignore = {"tj-thermal"}; });
  heat("tj-thermal", "100000");
  EXPECT_EQ(board->read_temperature_c(), 46.5);
}

TEST_F(BoardSensors, AValueThatNoChipSurvivesIsLeftOut) {
  const auto board = discover();
  for (const char* nonsense : {"-256000", "-40001", "150001", "2147483647"}) {
    heat("tj-thermal", nonsense);
    EXPECT_EQ(board->read_temperature_c(), 46.5) << nonsense;
  }
}

TEST_F(BoardSensors, FrostIsATemperature) {
  const auto board = discover();
  for (const auto& type : zone_types())
    heat(type, "-40000");
  EXPECT_EQ(board->read_temperature_c(), -40);
}

TEST_F(BoardSensors, HasNoTemperatureWhenNoZoneAnswers) {
  const auto board = discover();
  for (const auto& type : zone_types())
    heat(type, "off");
  EXPECT_FALSE(board->read_temperature_c());
}

TEST_F(BoardSensors, HasNoTemperatureWithoutZones) {
  EXPECT_EQ(discover([](auto& d) { d.thermal.directory = "/sys/class/cold"; })->read_temperature_c(),
            std::nullopt);
}

// Zones of units that are powered off answer in many ways, by kernel.
TEST_F(BoardSensors, AZoneThatFailsIsLeftOut) {
  const auto board = discover();
  for (const char* error : {"EAGAIN", "EINVAL", "ENODATA", "ENODEV", "EIO"}) {
    simulated_.fault("/sys/class/thermal/thermal_zone8/temp", Kind::read_error, error);
    heat("tj-thermal", "90000");
    EXPECT_EQ(board->read_temperature_c(), 46.5) << error;
    ASSERT_TRUE(simulated_.tree->clear_faults());
  }
  EXPECT_EQ(board->read_temperature_c(), 90);
}

TEST_F(BoardSensors, GpuLoadIsThatOfAllPrograms) {
  const auto board = discover();
  EXPECT_EQ(board->read_gpu_load().value(), 0);
  ASSERT_TRUE(simulated_.set(kSimulatedForeignGpuLoad, "250"));
  EXPECT_EQ(board->read_gpu_load().value(), 0.25);
}

TEST_F(BoardSensors, MemoryIsWhatProgramsCanHave) {
  EXPECT_EQ(discover()->read_memory()->available_bytes, std::int64_t{24123456} * 1024);
}

TEST_F(BoardSensors, ThrottleEventsAreTheSumOfTheCounters) {
  const auto board = discover();
  EXPECT_EQ(board->read_throttle_events().value(), 0);
  throttle(1, 1);
  throttle(2, 20);
  EXPECT_EQ(board->read_throttle_events().value(), 21);
  throttle(2, 1000);
  EXPECT_EQ(board->read_throttle_events().value(), 1021);
}

// In the highest modes of some boards they never cease.
TEST_F(BoardSensors, EventsOfAMomentAreToldAndCountForNothing) {
  const auto board = discover();
  throttle(3, 300);
  EXPECT_EQ(board->read_throttle_events().value(), 0);
  const auto counts = board->read_throttle_counts().value();
  EXPECT_TRUE(std::any_of(counts.begin(), counts.end(), [](const ThrottleCount& count) {
    return count.cause == "current of a moment" && count.events == 300 && count.momentary;
  }));
}

TEST_F(BoardSensors, AGpuThatRunsBelowItsPinnedClockIsSlowed) {
  const auto board = discover();
  EXPECT_EQ(board->read_gpu_slowdown(), std::nullopt) << "its limits differ";
  ASSERT_TRUE(simulated_.set(node::gpu_max, "624750000"));
  ASSERT_TRUE(simulated_.set(node::gpu_min, "624750000"));
  EXPECT_EQ(board->read_gpu_slowdown(), 0);
  simulated_.fault(node::gpu_dir + "/cur_freq", Kind::frozen);
  ASSERT_TRUE(simulated_.set(node::gpu_max, "1300500000"));
  ASSERT_TRUE(simulated_.set(node::gpu_min, "1300500000"));
  EXPECT_NEAR(board->read_gpu_slowdown().value(), 0.52, 0.01);
}

TEST_F(BoardSensors, ACpuThatTheHardwareSlowsIsTold) {
  const auto board = discover();
  EXPECT_EQ(board->read_cpu_slowdown(), 0);
  ASSERT_TRUE(simulated_.set(kSimulatedCpuThrottle, "60"));
  EXPECT_NEAR(board->read_cpu_slowdown().value(), 0.6, 0.01);
}

TEST_F(BoardSensors, FindsTheCountersUnderAnyHwmonNumber) {
  const std::string first = counters();
  ASSERT_TRUE(simulated_.tree->reboot());
  EXPECT_NE(counters(), first);
  throttle(2, 5);
  EXPECT_EQ(discover()->read_throttle_events().value(), 5);
}

TEST_F(BoardSensors, ABoardThatDoesNotCountHasNoThrottleEvents) {
  const auto events_with = [&](const std::function<void(BoardDescription&)>& change) {
    return discover(change)->read_throttle_events().value();
  };
  EXPECT_EQ(events_with([](auto& d) { d.throttle = {}; }), std::nullopt);
  EXPECT_EQ(events_with([](auto& d) { d.throttle.hwmon = "/sys/devices/platform/none"; }), std::nullopt);
  EXPECT_EQ(events_with([](auto& d) { d.throttle.counters = {{"oc9_event_cnt", "x"}}; }), std::nullopt);
}

TEST_F(BoardSensors, ACounterThatTheBoardDoesNotHaveIsNotCounted) {
  const auto board = discover([](auto& d) { d.throttle.counters.push_back({"oc9_event_cnt", "x"}); });
  throttle(1, 7);
  EXPECT_EQ(board->read_throttle_events().value(), 7);
}

TEST_F(BoardSensors, ACounterThatCannotBeReadIsAnErrorWithItsPath) {
  const auto board = discover();
  simulated_.fault(counters() + "/oc2_event_cnt", Kind::read_error, "EIO");
  const auto events = board->read_throttle_events();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::io);
  EXPECT_TRUE(contains(events.error().to_string(), counters() + "/oc2_event_cnt"));
}

TEST_F(BoardSensors, ACounterThatIsNoNumberIsAnErrorWithItsPath) {
  // A node with text where the counter should be.
  const auto board = discover([](auto& d) { d.throttle.counters = {{"oc1_event_cnt", "x"}, {"name", "y"}}; });
  const auto events = board->read_throttle_events();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::corrupt);
  EXPECT_TRUE(contains(events.error().to_string(), counters() + "/name")) << events.error().to_string();
}

}  // namespace
}  // namespace fulcrum
