#include <gmock/gmock.h>

#include "cli/render.h"
#include "tests/unit/cli/odd_answers.h"

namespace fulcrum::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json profile(const char* workload, const char* task, int cores) {
  Json json = Json::parse(R"({"board": "agx-orin", "batch_size": 16, "measurements": 3, "minibatches": 120,
      "time_ms": {"p50": 12.345, "p99": 13.2, "mean": 12.4, "stddev": 0.2}, "power_w": 23.44,
      "measured_at_ms": 0, "cost_s": 2.5})");
  json["workload"] = workload;
  json["task"] = task;
  json["mode"] = {{"cpu_cores", cores}, {"cpu_khz", 1728000}, {"gpu_hz", 918000000}, {"emc_hz", 3199000000}};
  return json;
}

const Json kThree{{"profiles",
                   {profile("0123456789abcdef", "training", 8), profile("0123456789abcdef", "training", 12),
                    profile("fedcba9876543210", "inference", 4)}}};

TEST(Profiles, OfOneWorkloadAndTaskShareATable) {
  const auto text = render_profiles(kThree);
  EXPECT_THAT(text, AllOf(HasSubstr("workload 0123456789abcdef  training on agx-orin\nCORES  CPU"),
                          HasSubstr("\n\nworkload fedcba9876543210  inference on agx-orin\n")));
  EXPECT_EQ(text.find("0123456789abcdef"), text.rfind("0123456789abcdef"));
}

TEST(Profiles, AreRowsOfModeTimePowerAndProbes) {
  EXPECT_THAT(render_profiles(kThree),
              HasSubstr("8      1728 MHz  918 MHz  3199 MHz  16     12.35 ms  13.20 ms  23.4 W  3       19"));
}

TEST(Profiles, NoneIsSaid) {
  EXPECT_EQ(render_profiles(Json::parse(R"({"profiles": []})")), "no profiles\n");
}

TEST(Profiles, AnswersWithOddPartsAreSurvivedAndCannotSteerTheTerminal) {
  test::for_each_odd(kThree,
                     [](const Json& odd) { EXPECT_THAT(render_profiles(odd), Not(HasSubstr("\x1b"))); });
}

}  // namespace
}  // namespace fulcrum::cli
