#include <gmock/gmock.h>

#include "cli/render.h"
#include "tests/unit/cli/odd_answers.h"

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const Json kMeasured = Json::parse(
    R"({"number": 3, "task": "training", "batch_size": 16, "state": "measured", "p50_ms": 11.9, "p99_ms": 12.14,
        "power_w": 23.44, "mode": {"cpu_cores": 1, "cpu_khz": 1267000, "gpu_hz": 612000000, "emc_hz": 3199000000}})");
const Json kEnded =
    Json::parse(R"({"state": "ended", "probes": 14, "modes": 9, "seconds": 21.34, "found": true})");

TEST(SearchText, BeginsWithItsLimits) {
  EXPECT_EQ(search_text(Json::parse(R"({"state": "begun", "probes_at_most": 20, "seconds_at_most": 30})")),
            "search begun: at most 20 probes, at most 30 s");
}

TEST(SearchText, EndsWithItsCostAndOutcome) {
  EXPECT_EQ(search_text(kEnded), "search ended: 14 probes in 9 modes, 21.3 s, a mode is found");
}

TEST(SearchText, AnEndWithoutAModeIsSaid) {
  EXPECT_EQ(search_text({{"state", "ended"}, {"probes", 1}, {"found", false}}),
            "search ended: 1 probe, no mode is found");
}

TEST(ProbeText, OfAMeasuredProbeHasTimeAndPower) {
  EXPECT_EQ(
      probe_text(kMeasured),
      "probe 3: training batch 16 in 1 core, CPU 1267 MHz, GPU 612 MHz, EMC 3199 MHz: p99 12.1 ms, 23.4 W");
}

TEST(ProbeText, OfAnInvalidProbeHasTheReason) {
  EXPECT_EQ(
      probe_text({{"number", 4}, {"task", "inference"}, {"state", "invalid"}, {"message", "throttled"}}),
      "probe 4: inference: invalid, throttled");
}

TEST(SearchAndProbeText, OddPartsAreSurvivedAndCannotSteerTheTerminal) {
  test::for_each_odd(kEnded, [](const Json& odd) { EXPECT_THAT(search_text(odd), Not(HasSubstr("\x1b"))); });
  test::for_each_odd(kMeasured,
                     [](const Json& odd) { EXPECT_THAT(probe_text(odd), Not(HasSubstr("\x1b"))); });
}

}  // namespace
}  // namespace fulcrum::cli
