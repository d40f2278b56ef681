// What the hardware of the simulated board does by itself: over-current events and temperatures.

#include "powermode/simulated_sensors.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::SimulatedBoard;

const std::string kOc3 = std::string(kSimulatedOverCurrent) + "/oc3";
const std::string kTj = std::string(kSimulatedTemperature) + "/tj-thermal";
const std::string kTjZone = "/sys/class/thermal/thermal_zone8/temp";

std::string counter(const SimulatedBoard& board, int alarm) {
  const std::string hwmon = "/sys/devices/platform/soctherm-oc-event/hwmon";
  return board.get(hwmon + "/" + board.tree->list(hwmon)->front() + "/oc" + std::to_string(alarm) +
                   "_event_cnt");
}

ErrorCode write_error(const SimulatedBoard& board, const std::string& path, const std::string& value) {
  const auto written = board.tree->write(path, value);
  return written ? ErrorCode::internal : written.error().code;
}

TEST(SimulatedSensors, CountOverCurrentEventsSinceBoot) {
  const SimulatedBoard board;
  EXPECT_EQ(counter(board, 3), "0");
  ASSERT_TRUE(board.set(kOc3, "2\n"));
  ASSERT_TRUE(board.set(kOc3, "5"));
  EXPECT_EQ(counter(board, 3), "7");
  EXPECT_EQ(board.get(kOc3), "7");
  EXPECT_EQ(counter(board, 1), "0");
  ASSERT_TRUE(board.tree->reboot());
  EXPECT_EQ(counter(board, 3), "0");
}

TEST(SimulatedSensors, AProgramOnTheBoardCannotWriteTheCounters) {
  const SimulatedBoard board;
  EXPECT_EQ(write_error(board, "/sys/devices/platform/soctherm-oc-event/hwmon/hwmon2/oc3_event_cnt", "0"),
            ErrorCode::permission_denied);
}

TEST(SimulatedSensors, RefuseWhatIsNoNumberOfEvents) {
  const SimulatedBoard board;
  for (const char* bad : {"", "0", "-1", "many", "1.5", "4294967296", "99999999999999999999"})
    EXPECT_EQ(write_error(board, kOc3, bad), ErrorCode::invalid_argument) << bad;
  EXPECT_EQ(write_error(board, std::string(kSimulatedOverCurrent) + "/oc4", "1"), ErrorCode::not_found);
  EXPECT_EQ(counter(board, 3), "0");
}

TEST(SimulatedSensors, AnswerAsTheHardwareIsToldUntilTheNextBoot) {
  const SimulatedBoard board;
  EXPECT_EQ(board.get(kTj), "46500");
  ASSERT_TRUE(board.set(kTj, "-256000\n"));
  EXPECT_EQ(board.get(kTjZone), "-256000");
  ASSERT_TRUE(board.tree->reboot());
  EXPECT_EQ(board.get(kTjZone), "46500");
}

TEST(SimulatedSensors, ArePoweredOffAndOnAgain) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(kTj, "off\n"));
  EXPECT_EQ(board.get(kTj), "off");
  EXPECT_EQ(board.tree->read(kTjZone).error().code, ErrorCode::unavailable);
  ASSERT_TRUE(board.set(kTj, "50000"));
  EXPECT_EQ(board.get(kTjZone), "50000");
}

TEST(SimulatedSensors, RefuseWhatIsNoTemperature) {
  const SimulatedBoard board;
  for (const char* bad : {"", "hot", "46.5", "off off"})
    EXPECT_EQ(write_error(board, kTj, bad), ErrorCode::invalid_argument) << bad;
  EXPECT_EQ(write_error(board, std::string(kSimulatedTemperature) + "/no-thermal", "1"),
            ErrorCode::not_found);
}

TEST(SimulatedSensors, OutliveTheProcessThatIsKilled) {
  const SimulatedBoard board;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto tree = board.open_tree();
    if (!tree->write(kOc3, "3") || !tree->write(kTj, "80000")) std::_Exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(counter(board, 3), "3");
  EXPECT_EQ(board.open_tree()->read(kTjZone).value(), "80000\n");
}

}  // namespace
}  // namespace fulcrum
