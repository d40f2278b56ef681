#include "powermode/power_mode.h"

#include <gtest/gtest.h>

#include <vector>

namespace fulcrum {
namespace {

constexpr PowerMode kMode{8, 1728000, 624750000, 3199000000};

TEST(PowerMode, IsShownWithUnits) {
  EXPECT_EQ(kMode.to_string(), "8 cores, CPU 1728 MHz, GPU 624.75 MHz, EMC 3199 MHz");
  EXPECT_EQ((PowerMode{1, 2201600, 1300500000, 665600000}).to_string(),
            "1 core, CPU 2201.6 MHz, GPU 1300.5 MHz, EMC 665.6 MHz");
}

TEST(PowerMode, SurvivesJson) {
  EXPECT_EQ(PowerMode::from_json(kMode.to_json()).value(), kMode);
}

TEST(PowerMode, OrdersByCoresFirst) {
  EXPECT_LT((PowerMode{4, 9, 9, 9}), (PowerMode{5, 1, 1, 1}));
  EXPECT_NE((PowerMode{4, 9, 9, 9}), (PowerMode{4, 9, 9, 8}));
}

TEST(PowerMode, NamesTheFieldThatIsWrong) {
  const auto field_of = [](const std::string& name, const Json& value) {
    Json json = kMode.to_json();
    json[name] = value;
    const auto mode = PowerMode::from_json(json);
    return mode ? std::string("accepted") : mode.error().field;
  };
  EXPECT_EQ(field_of("cpu_cores", 0), "/cpu_cores");
  EXPECT_EQ(field_of("cpu_cores", 1LL << 40), "/cpu_cores");
  EXPECT_EQ(field_of("cpu_khz", -1), "/cpu_khz");
  EXPECT_EQ(field_of("gpu_hz", 1.5), "/gpu_hz");
  EXPECT_EQ(field_of("emc_hz", "fast"), "/emc_hz");
  EXPECT_EQ(field_of("emc_hz", 18446744073709551615ULL), "/emc_hz");
  EXPECT_EQ(field_of("gpu_mhz", 1), "/gpu_mhz");
}

TEST(PowerMode, SuggestsTheNameOfAMistypedField) {
  Json json = kMode.to_json();
  json["gpu_hzz"] = 1;
  EXPECT_EQ(PowerMode::from_json(json).error().hint, "did you mean 'gpu_hz'?");
}

TEST(PowerMode, RefusesWhatIsIncompleteOrNoObject) {
  Json json = kMode.to_json();
  json.erase("emc_hz");
  EXPECT_EQ(PowerMode::from_json(json).error().field, "/emc_hz");
  EXPECT_FALSE(PowerMode::from_json(Json::array()));
  EXPECT_FALSE(PowerMode::from_json(Json(7)));
}

TEST(PowerMode, TellsEveryFaultOfAModeInsideSomethingLarger) {
  std::vector<Error> faults;
  EXPECT_FALSE(PowerMode::read({{"cpu_cores", 0}, {"cpu_khz", 1}, {"gpu_hz", 1}}, "/mode", faults));
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].field, "/mode/cpu_cores");
  EXPECT_EQ(faults[1].field, "/mode/emc_hz");
}

}  // namespace
}  // namespace fulcrum
