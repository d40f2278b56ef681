#include "cli/profile_document.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "cli/output.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;

Json document_of(int measurements) {
  Json document{{"format", "fulcrum-profiles"}, {"version", 1}, {"measurements", Json::array()}};
  for (int i = 0; i < measurements; ++i)
    document["measurements"].push_back({{"number", i}});
  return document;
}

std::string error_of(const std::string& text) {
  std::istringstream input(text);
  const auto document = load_profiles("-", input);
  return document ? "no error" : document.error().to_string();
}

TEST(ProfileDocument, HasALineForEachMeasurement) {
  EXPECT_EQ(document_text(document_of(2)),
            "{\"format\":\"fulcrum-profiles\",\"version\":1,\"measurements\":[\n{\"number\":0},\n{\"number\":"
            "1}\n]}\n");
}

TEST(ProfileDocument, WhatIsWrittenIsRead) {
  const test::TempDir dir;
  std::istringstream none;
  for (const int measurements : {0, 1, 3}) {
    ASSERT_TRUE(write_output(dir / "p.json", document_text(document_of(measurements))));
    EXPECT_EQ(load_profiles(dir / "p.json", none), document_of(measurements));
  }
}

TEST(ProfileDocument, PartsHaveTheHeaderAndTheirMeasurements) {
  const auto part = part_of(document_of(501), 500);
  EXPECT_EQ(part.at("version"), 1);
  EXPECT_EQ(part.at("measurements"), Json::parse(R"([{"number": 500}])"));
  EXPECT_EQ(part_of(document_of(501), 0).at("measurements").size(), 500u);
}

TEST(ProfileDocument, TextThatIsNoJsonIsToldWithTheFile) {
  EXPECT_THAT(error_of("no json"), HasSubstr("standard input: not valid JSON"));
}

TEST(ProfileDocument, JsonThatIsNoDocumentIsToldWithTheFile) {
  for (const char* text :
       {"3", "[]", "{}", R"({"format": "x", "measurements": []})", R"({"format": "fulcrum-profiles"})",
        R"({"format": "fulcrum-profiles", "measurements": {}})"}) {
    EXPECT_THAT(error_of(text), HasSubstr("standard input: is no document of profiles")) << text;
  }
}

TEST(ProfileDocument, AMissingFileIsNamed) {
  std::istringstream none;
  EXPECT_THAT(load_profiles("/nonexistent/p.json", none).error().to_string(),
              HasSubstr("/nonexistent/p.json"));
}

TEST(ProfileDocument, ADeviceIsNotReplaced) {
  const test::TempDir dir;
  std::filesystem::create_symlink("/dev/null", dir / "link");
  const auto written = write_output(dir / "link", document_text(document_of(0)));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().to_string(), HasSubstr("not a regular file"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
}

}  // namespace
}  // namespace fulcrum::cli
