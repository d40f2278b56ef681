#include "profiler/measurement.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> faulty_fields(const Json& json) {
  std::vector<std::string> fields;
  if (const auto read = Measurement::from_json(json); !read) {
    for (const auto& fault : read.error())
      fields.push_back(fault.field);
  }
  return fields;
}

std::vector<std::string> faults_with(const std::string& pointer, const Json& value) {
  Json json = test::some_measurement().to_json();
  json[Json::json_pointer(pointer)] = value;
  return faulty_fields(json);
}

TEST(Measurement, SurvivesJson) {
  const Json json = test::some_measurement().to_json();
  const auto read = Measurement::from_json(*parse_json(to_line(json)));
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_EQ(read->key, test::some_measurement().key);
  EXPECT_EQ(read->time.stddev_ms, 0.75);
  EXPECT_EQ(read->temperature_c, 51.5);
  EXPECT_EQ(read->to_json(), json);
}

TEST(Measurement, MayHaveNoTemperature) {
  Json json = test::some_measurement().to_json();
  json.erase("temperature_c");
  const auto read = Measurement::from_json(json);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->temperature_c);
  EXPECT_EQ(read->to_json(), json);
}

TEST(Measurement, MayHaveBeenTakenBesideOtherUsersOfTheGpu) {
  auto m = test::some_measurement();
  EXPECT_FALSE(m.to_json().contains("foreign_gpu_load"));
  m.foreign_gpu_load = 0.25;
  const auto again = Measurement::from_json(m.to_json());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->foreign_gpu_load, 0.25);
  auto nonsense = m.to_json();
  nonsense["foreign_gpu_load"] = 1.5;
  EXPECT_FALSE(Measurement::from_json(nonsense));
}

TEST(Measurement, NeedsEveryOtherField) {
  const Json whole = test::some_measurement().to_json();
  for (const auto& [name, value] : whole.items()) {
    if (name == "temperature_c") continue;
    Json json = whole;
    json.erase(name);
    EXPECT_THAT(faulty_fields(json), ElementsAre("/" + name));
  }
}

TEST(Measurement, RefusesValuesThatNoBoardCanHave) {
  EXPECT_THAT(faults_with("/board", ""), ElementsAre("/board"));
  EXPECT_THAT(faults_with("/board", "agx orin"), ElementsAre("/board"));
  EXPECT_THAT(faults_with("/board", std::string(65, 'x')), ElementsAre("/board"));
  EXPECT_THAT(faults_with("/workload", "0123456789ABCDEF"), ElementsAre("/workload"));
  EXPECT_THAT(faults_with("/workload", "0123"), ElementsAre("/workload"));
  EXPECT_THAT(faults_with("/task", "serving"), ElementsAre("/task"));
  EXPECT_THAT(faults_with("/mode/gpu_hz", -1), ElementsAre("/mode/gpu_hz"));
  EXPECT_THAT(faults_with("/batch_size", 0), ElementsAre("/batch_size"));
  EXPECT_THAT(faults_with("/minibatches", 0), ElementsAre("/minibatches"));
  EXPECT_THAT(faults_with("/minibatches", 2.5), ElementsAre("/minibatches"));
  EXPECT_THAT(faults_with("/time_ms/p50", 0), ElementsAre("/time_ms/p50"));
  EXPECT_THAT(faults_with("/time_ms/stddev", -0.1), ElementsAre("/time_ms/stddev"));
  EXPECT_THAT(faults_with("/power_w", 0), ElementsAre("/power_w"));
  EXPECT_THAT(faults_with("/power_w", std::nan("")), ElementsAre("/power_w"));
  EXPECT_THAT(faults_with("/power_w", "23 W"), ElementsAre("/power_w"));
  EXPECT_THAT(faults_with("/temperature_c", 1000), ElementsAre("/temperature_c"));
  EXPECT_THAT(faults_with("/measured_at_ms", -1), ElementsAre("/measured_at_ms"));
  EXPECT_THAT(faults_with("/measured_at_ms", UINT64_MAX), ElementsAre("/measured_at_ms"));
  EXPECT_THAT(faults_with("/cost_s", -1), ElementsAre("/cost_s"));
}

TEST(Measurement, RefusesAP99BelowTheMedian) {
  EXPECT_THAT(faults_with("/time_ms/p99", 10), ElementsAre("/time_ms/p99"));
  EXPECT_THAT(faults_with("/time_ms/p99", 10.25), IsEmpty());
}

TEST(Measurement, RefusesUnknownFieldsWhereverTheyAre) {
  EXPECT_THAT(faults_with("/powerw", 1), ElementsAre("/powerw"));
  EXPECT_THAT(faults_with("/time_ms/p95", 1), ElementsAre("/time_ms/p95"));
  EXPECT_THAT(faults_with("/mode/dla_hz", 1), ElementsAre("/mode/dla_hz"));
}

TEST(Measurement, TellsAllFaultsAtOnce) {
  Json json = test::some_measurement().to_json();
  json["mode"]["cpu_khz"] = "fast";
  json["mode"].erase("emc_hz");
  json["time_ms"] = 10;
  json.erase("power_w");
  json["volts"] = 5;
  EXPECT_THAT(faulty_fields(json),
              UnorderedElementsAre("/mode/cpu_khz", "/mode/emc_hz", "/time_ms", "/power_w", "/volts"));
}

TEST(Measurement, SaysWhereInSomethingLargerAFaultIs) {
  std::vector<Error> faults;
  EXPECT_FALSE(Measurement::read(Json(1), "/measurements/3", faults));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].field, "/measurements/3");
  EXPECT_THAT(faults[0].message, HasSubstr("object"));
}

}  // namespace
}  // namespace fulcrum::profiler
