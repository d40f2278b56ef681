#include <gmock/gmock.h>

#include "cli/render.h"
#include "powermode/board_parts.h"
#include "tests/unit/cli/odd_answers.h"

namespace fulcrum::cli {
namespace {

using test::kMaxn;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Json board() {
  auto json = Json::parse(R"({
    "id": "agx-orin", "name": "NVIDIA Jetson AGX Orin", "simulated": true, "apply": "sysfs", "mode_name": "MAXN",
    "power": {"total_w": 21.4, "rails": [{"name": "VDD_GPU_SOC", "w": 9.876}]},
    "mean_power_w": 20.5, "peak_power_w": 25.25, "energy_s": 33.6, "lease_held": true,
    "levels": {"cpu_cores": [1, 2, 12], "cpu_khz": [115200, 2201600], "gpu_hz": [1300500000]},
    "presets": [{"name": "MAXN"}, {"name": "MODE_30W"}]})");
  json["mode"] = kMaxn;
  return json;
}

TEST(RenderBoard, OneScreenSaysHowTheBoardIs) {
  EXPECT_EQ(render_board(board()),
            "board          NVIDIA Jetson AGX Orin (agx-orin), simulated\n"
            "mode           MAXN (12 cores, CPU 2202 MHz, GPU 1300 MHz, EMC 3199 MHz)\n"
            "power          21.40 W now; 20.50 W mean, 25.25 W peak in 34 s with jobs\n"
            "  VDD_GPU_SOC  9.88 W\n"
            "knobs          held by fulcrumd, set through sysfs\n"
            "  cores        1 to 12\n"
            "  CPU          2 levels from 115 to 2202 MHz\n"
            "  GPU          1300 MHz, no other\n"
            "presets        MAXN, MODE_30W (more: 'fulcrumctl board modes')\n");
}

TEST(RenderBoard, ABoardThatIsOnlyReadSaysWhy) {
  auto json = board();
  json["read_only"] = "nobody has tried";
  json["simulated"] = false;
  EXPECT_THAT(render_board(json), AllOf(HasSubstr("(agx-orin), real\n"),
                                        HasSubstr("read only: nobody has tried\n"), Not(HasSubstr("held"))));
}

TEST(RenderBoard, WhatCannotBeReadIsSaidInItsPlace) {
  auto json = board();
  json.erase("power");
  json.erase("mean_power_w");
  json["errors"] = {{"power", "reading '/sys/x': EIO"}};
  EXPECT_THAT(render_board(json), AllOf(HasSubstr("power    cannot be read: reading '/sys/x': EIO\n"),
                                        HasSubstr("mode     MAXN")));
}

TEST(RenderBoard, WhatOthersUseOfTheGpuIsTold) {
  auto json = board();
  json["foreign_gpu_load"] = 0.351;
  EXPECT_THAT(render_board(json), HasSubstr("35 % of the time for other programs\n"));
}

Json modes() {
  auto json = Json::parse(R"({
    "mode_name": "MAXN", "from_catalogue": true, "lease_held": false,
    "presets": [
      {"name": "MAXN", "nvpmodel_id": 0, "active": true, "requested": false},
      {"name": "MODE_30W", "nvpmodel_id": 2, "active": false, "requested": true,
       "mode": {"cpu_cores": 8, "cpu_khz": 1728000, "gpu_hz": 522750000, "emc_hz": 3199000000},
       "needs_reboot": "other parts are gated", "differences": ["its CPUs online are 0, 3"]}],
    "remarks": ["/etc/nvpmodel.conf:3:1: what is this"]})");
  json["mode"] = kMaxn;
  json["presets"][0]["mode"] = kMaxn;
  return json;
}

TEST(RenderBoard, PresetsAreATableAndWhatIsSpecialStandsBelow) {
  EXPECT_EQ(render_modes(modes()),
            "mode     MAXN (12 cores, CPU 2202 MHz, GPU 1300 MHz, EMC 3199 MHz)\n"
            "presets  as the board's own catalogue has them, '/etc/nvpmodel.conf'\n"
            "\n"
            "PRESET    ID  CORES  CPU       GPU       EMC       STATE\n"
            "MAXN      0   12     2202 MHz  1300 MHz  3199 MHz  active\n"
            "MODE_30W  2   8      1728 MHz  523 MHz   3199 MHz  requested, needs a reboot\n"
            "\n"
            "nvpmodel  was last told to set MODE_30W, which the board is not in: it waits for a reboot\n"
            "MODE_30W  needs a reboot: other parts are gated\n"
            "MODE_30W  is different where nvpmodel sets it: its CPUs online are 0, 3\n"
            "remark    /etc/nvpmodel.conf:3:1: what is this\n");
}

TEST(RenderBoard, WhileFulcrumHoldsTheKnobsAnotherModeThanNvpmodelsIsItsOwn) {
  auto json = modes();
  json["lease_held"] = true;
  EXPECT_THAT(render_modes(json), AllOf(HasSubstr("fulcrumd has set it"), Not(HasSubstr("another program"))));
}

TEST(RenderBoard, AnotherModeThanNvpmodelsThatNeedsNoRebootIsAnotherPrograms) {
  auto json = modes();
  json["presets"][1].erase("needs_reboot");
  EXPECT_THAT(render_modes(json), HasSubstr("another program has"));
}

TEST(RenderBoard, WhereNvpmodelAndTheBoardAgreeNothingIsSaidOfThem) {
  auto json = modes();
  json["presets"][0]["requested"] = true;
  json["presets"].erase(1);
  EXPECT_THAT(render_modes(json), AllOf(HasSubstr("active, requested\n"), Not(HasSubstr("nvpmodel  "))));
}

TEST(RenderBoard, PresetsOfADescriptionHaveNoIds) {
  Json json{{"from_catalogue", false}, {"presets", {{{"name", "MAXN"}, {"mode", kMaxn}, {"active", true}}}}};
  EXPECT_THAT(
      render_modes(json),
      AllOf(HasSubstr("presets  as such boards are delivered; this board has no '/etc/nvpmodel.conf'\n"),
            HasSubstr("MAXN    -   12")));
  json["catalogue_trouble"] = "it is empty";
  EXPECT_THAT(render_modes(json), HasSubstr("the board's own catalogue cannot be used: it is empty\n"));
  json["presets"] = Json::array();
  EXPECT_THAT(render_modes(json), AllOf(HasSubstr("presets  none; "), Not(HasSubstr("PRESET"))));
}

Json sensors() {
  return Json::parse(R"({
    "averaging_window_ms": 300, "power": {"total_w": 21.4, "rails": [{"name": "VDD_GPU_SOC", "w": 9.1}]},
    "temperature_c": 46.5, "throttle_events": {"low input voltage": 3, "average current": 0}, "cpu_slowdown": 0.12, "gpu_load": 0.83, "foreign_gpu_load": 0.2,
    "available_memory_bytes": 24702418944})");
}

TEST(RenderBoard, SensorsSayWhatTheyMeasure) {
  EXPECT_EQ(render_sensors(sensors()),
            "power            21.40 W, averaged over up to 300 ms\n"
            "  VDD_GPU_SOC    9.10 W\n"
            "temperature      46.5 °C, of the hottest zone\n"
            "throttle events  3 since boot: 3 of low input voltage\n"
            "CPU slowdown     the hardware runs the CPUs 12 % below what is set\n"
            "GPU load         83 %, 20 % of the time for other programs\n"
            "memory           23.0 GiB available\n");
}

TEST(RenderBoard, ThrottlingThatNeverHappenedIsNone) {
  auto json = sensors();
  json["throttle_events"]["low input voltage"] = 0;
  EXPECT_THAT(render_sensors(json), HasSubstr("throttle events  none since boot\n"));
}

TEST(RenderBoard, ASensorThatFailsSaysSoInItsPlace) {
  auto json = sensors();
  json.erase("power");
  json.erase("gpu_load");
  json["errors"] = {{"power", "reading '/sys/x': EIO"}, {"gpu_load", "it says 2000"}};
  EXPECT_THAT(render_sensors(json),
              AllOf(HasSubstr("power            cannot be read: reading '/sys/x': EIO\n"),
                    HasSubstr("GPU load         cannot be read: it says 2000\n"),
                    HasSubstr("memory           23.0 GiB")));
}

TEST(RenderBoard, WhatABoardDoesNotMeasureIsSaid) {
  EXPECT_THAT(render_sensors({{"averaging_window_ms", 300}}),
              AllOf(HasSubstr("throttle events  not on this board\n"),
                    HasSubstr("GPU load         not on this board\n"),
                    HasSubstr("temperature      no zone tells it\n"),
                    HasSubstr("CPU slowdown     cannot be measured on this board\n")));
}

Json report() {
  return Json::parse(R"({
    "id": "agx-orin", "name": "NVIDIA Jetson AGX Orin", "fit": false,
    "findings": [{"part": "CPUs", "weight": "fine", "what": "12 in 3 clusters"},
                 {"part": "rights", "weight": "blocks", "what": "this is not root",
                  "effect": "knobs cannot be written", "fix": "run as root"}]})");
}

TEST(RenderBoard, AReportReadsAsTheDaemonsOwn) {
  EXPECT_EQ(render_report(report()),
            "NVIDIA Jetson AGX Orin (agx-orin)\n"
            "\n"
            "ok       CPUs    12 in 3 clusters\n"
            "BLOCKS   rights  this is not root\n"
            "                 so: knobs cannot be written\n"
            "                 do: run as root\n"
            "\n"
            "Fulcrum cannot do its job here: see what BLOCKS.\n");
}

TEST(RenderBoard, TheVerdictIsTheDaemonsWhateverOfItsFindingsIsUnderstood) {
  auto json = report();
  json["findings"][1]["weight"] = "of another version";
  EXPECT_THAT(render_report(json), AllOf(Not(HasSubstr("rights")), EndsWith("see what BLOCKS.\n")));
  json["fit"] = true;
  EXPECT_THAT(render_report(json), EndsWith("Fulcrum can do its job here.\n"));
}

TEST(RenderBoard, AnswersOfAnyShapeAreSurvived) {
  const std::pair<Json, std::string (*)(const Json&)> screens[] = {{board(), render_board},
                                                                   {modes(), render_modes},
                                                                   {sensors(), render_sensors},
                                                                   {report(), render_report}};
  for (const auto& [answer, render] : screens) {
    test::for_each_odd(answer, [render = render](const Json& odd) {
      const auto text = render(odd);
      EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("null"))));
    });
  }
}

}  // namespace
}  // namespace fulcrum::cli
