#include "cli/yaml_json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;

Json value_of(const std::string& yaml) {
  auto json = yaml_to_json(yaml, "f.yaml");
  EXPECT_TRUE(json) << (json ? "" : json.error().to_string());
  return json.value_or(Json("<error>"));
}

std::string error_of(const std::string& yaml) {
  const auto json = yaml_to_json(yaml, "f.yaml");
  return json ? "no error: " + to_line(*json) : json.error().to_string();
}

TEST(YamlJson, PlainScalarsHaveTheTypesOfTheCoreSchema) {
  EXPECT_EQ(value_of("[true, False, null, ~, 3, -4, +5, 0x1F, 0o17, 1.5, 1e3, .5, -2.5e-3]"),
            Json::parse("[true, false, null, null, 3, -4, 5, 31, 15, 1.5, 1000.0, 0.5, -0.0025]"));
}

TEST(YamlJson, WhatOnlyOlderYamlTakesForValuesIsText) {
  EXPECT_EQ(value_of("[yes, no, on, 1:30, 0b1, 1_000]"),
            Json::parse(R"(["yes","no","on","1:30","0b1","1_000"])"));
}

TEST(YamlJson, QuotedScalarsAreText) {
  EXPECT_EQ(value_of(R"(["3", 'true', "", 'null'])"), Json::parse(R"(["3","true","","null"])"));
}

TEST(YamlJson, WholeNumbersStayWhole) {
  EXPECT_TRUE(value_of("16").is_number_integer());
  EXPECT_TRUE(value_of("16.0").is_number_float());
  EXPECT_EQ(value_of("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(YamlJson, DatesVersionsAndPathsAreText) {
  EXPECT_EQ(value_of("[2026-01-31, 1.2.3, /a/b, ../c, -, 1e, .]").dump(),
            R"(["2026-01-31","1.2.3","/a/b","../c","-","1e","."])");
}

TEST(YamlJson, MapsAndListsNest) {
  EXPECT_EQ(value_of("a: {b: [1, {c: x}]}\nd:\n  - e\n"),
            Json::parse(R"({"a":{"b":[1,{"c":"x"}]},"d":["e"]})"));
}

TEST(YamlJson, AKeyGivenTwiceIsToldWithItsPlace) {
  EXPECT_EQ(error_of("epochs: 1\nepochs: 2\n"), "f.yaml:2:1: 'epochs' is given twice");
}

TEST(YamlJson, TextThatIsNoYamlIsToldWithItsPlace) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), HasSubstr("f.yaml:2:"));
  EXPECT_THAT(error_of("a: b: c\n"), HasSubstr("f.yaml:1:5: not valid YAML"));
}

TEST(YamlJson, MoreOrFewerThanOneDocumentIsAnError) {
  EXPECT_THAT(error_of(""), HasSubstr("f.yaml: holds no YAML document"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("f.yaml:2:1: a second YAML document"));
}

TEST(YamlJson, AStrayCommaIsAnError) {  // yaml-cpp takes it for documents without end
  EXPECT_THAT(error_of(",1"), HasSubstr("f.yaml:1:1: a second YAML document"));
  EXPECT_THAT(error_of("a: 1\n,"), HasSubstr("f.yaml:"));
}

TEST(YamlJson, AliasesThatMakeItHugeAreRefused) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string alias = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + alias;
    for (int i = 0; i < 9; ++i)
      bomb += "," + alias;
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("too many"));
}

TEST(YamlJson, DeepNestingIsRefused) {
  EXPECT_THAT(error_of(std::string(100, '[') + std::string(100, ']')), HasSubstr("deeply nested"));
  EXPECT_THAT(error_of(std::string(100000, '[')), HasSubstr("f.yaml:"));
}

TEST(YamlJson, AnUnknownTagIsAnError) {
  EXPECT_THAT(error_of("a: !secret x"), HasSubstr("not supported"));
}

RC_GTEST_PROP(YamlJsonProperty, EveryWholeNumberStaysItself, (std::int64_t number)) {
  RC_ASSERT(value_of(std::to_string(number)) == Json(number));
}

RC_GTEST_PROP(YamlJsonProperty, QuotedTextStaysText, (std::int64_t number)) {
  RC_ASSERT(value_of("'" + std::to_string(number) + "'").is_string());
}

}  // namespace
}  // namespace fulcrum::cli
