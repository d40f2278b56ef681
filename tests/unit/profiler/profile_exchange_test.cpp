#include "profiler/profile_exchange.h"

#include <gmock/gmock.h>

#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using test::some_measurement;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Measurement on_board(const std::string& board_id) {
  auto m = some_measurement();
  m.key.board_id = board_id;
  return m;
}

std::vector<std::string> faulty_in(const Json& document, ForeignBoards foreign = ForeignBoards::refuse) {
  std::vector<std::string> fields;
  if (const auto read = read_exchange(document, "agx-orin", foreign); !read) {
    for (const auto& fault : read.error())
      fields.push_back(fault.field);
  }
  return fields;
}

TEST(ProfileExchange, BringsBackWhatWasWritten) {
  const auto read = read_exchange(write_exchange({some_measurement()}), "agx-orin");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().to_json(), some_measurement().to_json());
}

TEST(ProfileExchange, MayBeEmpty) {
  EXPECT_TRUE(read_exchange(write_exchange({}), "agx-orin")->empty());
}

TEST(ProfileExchange, RefusesMeasurementsOfAnotherBoardOncePerBoard) {
  const auto document = write_exchange(
      {on_board("agx-orin"), on_board("orin-nano"), on_board("orin-nano"), on_board("agx-xavier")});
  EXPECT_THAT(faulty_in(document), ElementsAre("/measurements/1/board", "/measurements/3/board"));
  EXPECT_THAT(read_exchange(document, "agx-orin").error().front().message,
              testing::AllOf(HasSubstr("orin-nano"), HasSubstr("agx-orin")));
}

TEST(ProfileExchange, TakesThemAsOursWhenTold) {
  const auto read =
      read_exchange(write_exchange({on_board("orin-nano")}), "agx-orin", ForeignBoards::take_as_ours);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().key.board_id, "agx-orin");
}

TEST(ProfileExchange, RefusesAnotherVersion) {
  Json document = write_exchange({});
  document["version"] = 2;
  const auto read = read_exchange(document, "agx-orin");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().code, ErrorCode::unsupported);
  EXPECT_EQ(read.error().front().field, "/version");
}

TEST(ProfileExchange, RefusesWhatIsSomethingElse) {
  EXPECT_THAT(faulty_in(Json::array()), ElementsAre(""));
  EXPECT_THAT(faulty_in(Json::object()), ElementsAre("/format", "/version", "/measurements"));
  EXPECT_THAT(faulty_in({{"format", "onnx"}, {"version", 1}, {"measurements", Json::array()}}),
              ElementsAre("/format"));
  EXPECT_THAT(faulty_in({{"format", "fulcrum-profiles"}, {"version", 1}, {"measurements", {{"a", 1}}}}),
              ElementsAre("/measurements"));
}

TEST(ProfileExchange, TellsAllFaultsAtOnce) {
  Json document = write_exchange({some_measurement(), some_measurement(), on_board("orin-nano")});
  document["date"] = "today";
  document["measurements"][0]["power_w"] = -1;
  document["measurements"][1]["mode"].erase("gpu_hz");
  EXPECT_THAT(faulty_in(document),
              UnorderedElementsAre("/measurements/0/power_w", "/measurements/1/mode/gpu_hz", "/date",
                                   "/measurements/2/board"));
}

}  // namespace
}  // namespace fulcrum::profiler
