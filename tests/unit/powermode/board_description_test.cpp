#include "powermode/board_description.h"

#include <gtest/gtest.h>

#include "powermode/board_catalogue.h"
#include "powermode/embedded_text.h"
#include "powermode/simulated_hardware.h"

namespace fulcrum {
namespace {

// A built-in description with one piece of text replaced.
std::string altered_file(const std::string& from, const std::string& to,
                         const std::string& file = "agx-orin.yaml") {
  std::string text(powermode::embedded_text(file));
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string altered_jetson(const std::string& from, const std::string& to) {
  return altered_file(from, to, "jetson.yaml");
}

std::string error_of(const std::string& yaml) {
  const auto description = parse_board_description(yaml, "b.yaml", *builtin_board_description("jetson"));
  return description ? "accepted" : description.error().message;
}

TEST(BoardDescription, OfTheAgxOrinIsBuiltIn) {
  const auto description = builtin_board_description("agx-orin");
  ASSERT_TRUE(description) << description.error().to_string();
  EXPECT_EQ(description->cpu.clusters.size(), 3U);
  EXPECT_EQ(description->power.sum.size(), 4U);
  EXPECT_TRUE(description->power.input.empty());
  EXPECT_EQ(description->power.averaging_window, std::chrono::milliseconds(300));
  ASSERT_EQ(description->presets.size(), 4U);
  EXPECT_EQ(description->presets[1].name, "MODE_15W");
  EXPECT_EQ(description->presets[1].cpu_cores, 4);
  EXPECT_FALSE(description->presets[0].cpu_khz);
}

TEST(BoardDescription, SuggestsAKnownBoard) {
  const auto error = builtin_board_description("agx-orni").error();
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(error.hint, "did you mean 'agx-orin'?");
}

TEST(BoardDescription, ErrorsTellLineAndColumn) {
  EXPECT_EQ(error_of("id: x\nnam: y\n"), "b.yaml:2:1: unknown key 'nam': did you mean 'name'?");
  EXPECT_EQ(error_of("id: [1\n").substr(0, 7), "b.yaml:");
  EXPECT_EQ(error_of("id: x\n"), "b.yaml:1:1: 'name' is missing");
}

TEST(BoardDescription, RefusesWhatIsNoMapping) {
  EXPECT_NE(error_of(""), "accepted");
  EXPECT_NE(error_of("- a\n"), "accepted");
  EXPECT_NE(error_of("just text"), "accepted");
}

TEST(BoardDescription, RefusesValuesOfTheWrongKind) {
  EXPECT_NE(
      error_of(altered_file("averaging_window_ms: 300", "averaging_window_ms: soon")).find("is not a number"),
      std::string::npos);
  EXPECT_NE(error_of(altered_file("averaging_window_ms: 300", "averaging_window_ms: 0")), "accepted");
  EXPECT_NE(error_of(altered_file("averaging_window_ms: 300", "averaging_window_ms: .nan")), "accepted");
  EXPECT_NE(error_of(altered_file("cpu_khz: 1113600", "cpu_khz: 1.5")).find("is not a whole number"),
            std::string::npos);
  EXPECT_NE(error_of(altered_file("cpu_khz: 1113600", "cpu_khz: -5")).find("is not positive"),
            std::string::npos);
  EXPECT_NE(error_of(altered_jetson("directory: /sys", "directory: sys")).find("not an absolute path"),
            std::string::npos);
}

TEST(BoardDescription, RefusesAWindowThatNoClockCanHold) {
  for (const std::string window : {"1e-9", "1e300", ".inf"}) {
    EXPECT_NE(error_of(altered_file("averaging_window_ms: 300", "averaging_window_ms: " + window)),
              "accepted");
  }
}

TEST(BoardDescription, RefusesAPowerThatNoBoardDraws) {
  for (const std::string range : {"[60, 9]", "[0, 9]", "[9]", "[9, .inf]", "[.nan, 9]", "much"}) {
    EXPECT_NE(error_of(altered_file("usual_w: [9, 60]", "usual_w: " + range)).find("usual_w"),
              std::string::npos)
        << range;
  }
}

TEST(BoardDescription, RefusesClustersWithGaps) {
  EXPECT_NE(error_of(altered_file("[4, 5, 6, 7]", "[5, 6, 7]")).find("expected CPU 4, found 5"),
            std::string::npos);
  EXPECT_NE(error_of(altered_file("[4, 5, 6, 7]", "[]")), "accepted");
  EXPECT_NE(error_of(altered_file("[0, 1, 2, 3]", "[1, 0, 2, 3]")).find("cpu0 is not the first"),
            std::string::npos);
}

TEST(BoardDescription, RefusesAPresetThatAppearsTwice) {
  EXPECT_NE(error_of(altered_file("name: MODE_30W", "name: MAXN")).find("appears twice"), std::string::npos);
}

TEST(BoardDescription, WhatAFileLeavesOutIsAsAnyJetsonHasIt) {
  const auto orin = builtin_board_description("agx-orin").value();
  EXPECT_EQ(orin.thermal.directory, "/sys/class/thermal");
  EXPECT_EQ(orin.thermal.ignore, (std::vector<std::string>{"PMIC-Die", "thermal-fan-est"}));
  ASSERT_EQ(orin.throttle.counters.size(), 3U);
  EXPECT_EQ(orin.throttle.counters[0].node, "oc1_event_cnt");
  EXPECT_EQ(orin.throttle.counters[0].cause, "low input voltage");
  const auto xavier = builtin_board_description("xavier-nx").value();
  EXPECT_EQ(xavier.throttle.hwmon, orin.throttle.hwmon);
  EXPECT_EQ(xavier.throttle.counters[1].cause, "low input voltage");
  EXPECT_EQ(orin.emc.clocks.size(), 2U);
  EXPECT_FALSE(orin.power.sum_of_all);
  const auto any = builtin_board_description("jetson").value();
  EXPECT_TRUE(any.power.sum_of_all);
  EXPECT_TRUE(any.cpu.clusters.empty());
}

TEST(BoardDescription, OfEveryBoardIsSound) {
  for (const auto& id : builtin_board_ids()) {
    const auto description = builtin_board_description(id);
    ASSERT_TRUE(description) << description.error().to_string();
    EXPECT_EQ(description->id, id);
    EXPECT_FALSE(description->matches.empty()) << id;
  }
  EXPECT_FALSE(builtin_board_description("agx-thor")->read_only.empty());
}

TEST(BoardDescription, StandsOnItsOwnOnlyWithAllThatDiscoveryNeeds) {
  const std::string orin(powermode::embedded_text("agx-orin.yaml"));
  const auto alone = parse_board_description(orin, "b.yaml");
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().message, "b.yaml:2:1: 'cpu.directory' is missing");
  EXPECT_TRUE(parse_board_description(powermode::embedded_text("jetson.yaml"), "b.yaml"));
}

TEST(BoardDescription, RefusesSensorsOfTheWrongKind) {
  EXPECT_NE(error_of(altered_jetson("directory: /sys/class/thermal", "directory: sys/class"))
                .find("not an absolute path"),
            std::string::npos);
  EXPECT_NE(error_of(altered_jetson("ignore: [PMIC-Die, thermal-fan-est]", "ignore: PMIC-Die"))
                .find("'ignore' is not a list"),
            std::string::npos);
  EXPECT_NE(error_of(altered_jetson("  ignore: [PMIC", "  ignored: [PMIC")).find("did you mean 'ignore'?"),
            std::string::npos);
  EXPECT_NE(error_of(altered_jetson("kind: iio", "kind: oii")).find("none of hwmon, hwmon_power and iio"),
            std::string::npos);
  EXPECT_NE(error_of(altered_jetson("effective: true", "effective: perhaps")).find("true or false"),
            std::string::npos);
}

TEST(BoardDescription, RefusesThrottleCountersOfTheWrongKind) {
  const std::string counter = "oc2_event_cnt: average current";
  const auto error_with = [&](const std::string& other) { return error_of(altered_jetson(counter, other)); };
  EXPECT_NE(error_with("oc2_event_cnt: [a]").find("'counters' is not a text"), std::string::npos);
  EXPECT_NE(error_with("../oc2: average current").find("names no node"), std::string::npos);
  EXPECT_NE(error_with("oc1_event_cnt: again").find("appears twice"), std::string::npos);
  const std::string none = "id: x\nname: y\nmatches: [z]\nthrottle: {counters: []}\n";
  EXPECT_NE(error_of(none).find("not a mapping of nodes to causes"), std::string::npos);
}

TEST(SimulatedHardware, OfTheAgxOrinHasThePapersLevels) {
  const auto hardware = powermode::SimulatedHardware::builtin("agx-orin");
  ASSERT_TRUE(hardware) << hardware.error().to_string();
  EXPECT_EQ(hardware->cpu_count(), 12);
  EXPECT_EQ(hardware->cpu.levels_khz.size(), 29U);
  EXPECT_EQ(hardware->gpu.levels_hz.size(), 13U);
  EXPECT_EQ(hardware->emc.levels_hz.size(), 4U);
}

TEST(SimulatedHardware, RefusesAWindowThatNoClockCanHold) {
  const std::string text(powermode::embedded_text("agx-orin-simulated.yaml"));
  const std::string from = "window_ms: 200";
  ASSERT_NE(text.find(from), std::string::npos);
  for (const std::string window : {"0", "1e-9", "1e300", ".inf", ".nan"}) {
    auto bad = text;
    bad.replace(bad.find(from), from.size(), "window_ms: " + window);
    EXPECT_FALSE(powermode::SimulatedHardware::parse(bad, "h.yaml")) << window;
  }
}

TEST(SimulatedHardware, OfEveryBoardIsSound) {
  for (const auto& name : powermode::simulated_board_names()) {
    const auto hardware = powermode::SimulatedHardware::builtin(name);
    ASSERT_TRUE(hardware) << hardware.error().to_string();
    EXPECT_EQ(hardware->board, name);
  }
}

TEST(SimulatedHardware, RefusesAShareAboveAll) {
  std::string text(powermode::embedded_text("agx-orin-simulated.yaml"));
  text.replace(text.find("share: 0.42"), 11, "share: 1.40");
  EXPECT_NE(powermode::SimulatedHardware::parse(text, "s.yaml").error().message.find("a share of it"),
            std::string::npos);
}

TEST(SimulatedHardware, RefusesThermalZonesOfOneType) {
  std::string text(powermode::embedded_text("agx-orin-simulated.yaml"));
  text.replace(text.find("cv1-thermal"), 11, "cv0-thermal");
  EXPECT_NE(powermode::SimulatedHardware::parse(text, "s.yaml").error().message.find("appears twice"),
            std::string::npos);
}

TEST(SimulatedHardware, RefusesLevelsThatDoNotAscend) {
  std::string text(powermode::embedded_text("agx-orin-simulated.yaml"));
  text.replace(text.find("665600000"), 9, "104000000");
  EXPECT_NE(powermode::SimulatedHardware::parse(text, "s.yaml").error().message.find("does not ascend"),
            std::string::npos);
}

}  // namespace
}  // namespace fulcrum
