#include "common/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fulcrum {
namespace {

TEST(ParseJson, ReadsAValue) {
  EXPECT_EQ(parse_json(R"({"a":[1,2]})")->at("a").at(1), 2);
}

TEST(ParseJson, RefusesNestingThatPrintingCouldNotTake) {
  EXPECT_FALSE(parse_json(std::string(100'000, '[')));
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
}

TEST(ParseJson, RefusesAKeyThatAppearsTwice) {
  EXPECT_NE(parse_json(R"({"a":1,"a":2})").error().message.find("twice"), std::string::npos);
  EXPECT_TRUE(parse_json(R"({"a":1,"b":{"a":2}})"));
}

TEST(ParseJson, RefusesWhatIsNotUtf8) {
  EXPECT_FALSE(parse_json("\"\xff\""));
}

TEST(ParseJson, RefusesTrailingText) {
  EXPECT_FALSE(parse_json("{} {}"));
}

TEST(ParseJson, SaysWhere) {
  const auto error = parse_json("{\"a\": }").error();
  EXPECT_NE(error.message.find("column 7"), std::string::npos) << error.message;
}

TEST(ToLine, HasNoNewlineAndPrintsAnyBytes) {
  EXPECT_EQ(to_line(Json("a\nb")), R"("a\nb")");
  EXPECT_NO_THROW(to_line(Json("\xff")));
}

}  // namespace
}  // namespace fulcrum
