#include "cli/spec_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "common/job_spec.h"
#include "daemon/method_table.h"
#include "daemon/schema.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;

TEST(SpecFile, RelativePathsStartAtTheFile) {
  const test::TempDir dir;
  test::spill(
      dir / "s.yaml",
      "dataset: {images: i.gz, labels: ../l.gz}\nvalidation: {dataset: {images: /abs/i, labels: v/l}}\n"
      "output: out.pt\n");
  std::istringstream none;
  const auto spec = load_spec(dir / "s.yaml", none);
  ASSERT_TRUE(spec) << spec.error().to_string();
  const auto parent = std::filesystem::path(dir.path()).parent_path().string();
  EXPECT_EQ(spec->at("dataset").at("images"), dir / "i.gz");
  EXPECT_EQ(spec->at("dataset").at("labels"), parent + "/l.gz");
  EXPECT_EQ(spec->at("validation").at("dataset").at("images"), "/abs/i");
  EXPECT_EQ(spec->at("validation").at("dataset").at("labels"), dir / "v/l");
  EXPECT_EQ(spec->at("output"), dir / "out.pt");
}

TEST(SpecFile, ListsOfPathsAreMadeAbsoluteToo) {
  Json spec{{"dataset", {{"files", {"a.bin", "/b.bin", 3}}, {"shape", {1, 2}}}}};
  make_paths_absolute(spec, "/f");
  EXPECT_EQ(spec, (Json{{"dataset", {{"files", {"/f/a.bin", "/b.bin", 3}}, {"shape", {1, 2}}}}}));
}

TEST(SpecFile, RelativePathsOfStandardInputStartAtTheCurrentFolder) {
  std::istringstream input(R"({"source": {"dataset": {"images": "i.gz"}}})");
  const auto spec = load_spec("-", input);
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->at("source").at("dataset").at("images"),
            std::filesystem::current_path().string() + "/i.gz");
}

TEST(SpecFile, FieldsThatAreNoPathsStayAsTheyAre) {
  Json spec{{"name", "fashion"}, {"dataset", {{"format", "idx"}, {"images", 3}}}};
  const Json before = spec;
  make_paths_absolute(spec, "/f");
  EXPECT_EQ(spec, before);
}

TEST(SpecFile, WhatIsNoObjectStaysAsItIs) {
  Json spec = Json::array({1});
  make_paths_absolute(spec, "/f");
  EXPECT_EQ(spec, Json::array({1}));
}

TEST(SpecFile, JsonIsKnownByItsBrace) {
  EXPECT_THAT(parse_spec(" {\"a\": 1,}", "spec").error().message, HasSubstr("spec: not valid JSON"));
  EXPECT_EQ(parse_spec("{a: 1}", "spec.yaml"), (Json{{"a", 1}}));
}

TEST(SpecFile, AMissingFileIsNamed) {
  std::istringstream none;
  const auto spec = load_spec("/nonexistent/s.yaml", none);
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().to_string(), HasSubstr("/nonexistent/s.yaml"));
}

TEST(SpecFile, EndlessInputIsRefused) {
  std::istringstream input(std::string(2 << 20, 'x'));
  EXPECT_EQ(load_spec("-", input).error().code, ErrorCode::limit_exceeded);
}

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, IsAValidSpec) {
  std::istringstream none;
  const auto spec = load_spec(std::string(FULCRUM_SOURCE_DIR) + "/config/examples/" + GetParam(), none);
  ASSERT_TRUE(spec) << spec.error().to_string();
  const auto table = daemon::load_method_table();
  ASSERT_TRUE(table);
  for (const auto& method : *table) {
    if (method.name != "job.submit") continue;
    for (const auto& fault : daemon::Schema::compile(method.params)->validate({{"spec", *spec}})) {
      ADD_FAILURE() << fault.to_string();
    }
  }
  const auto typed = JobSpec::from_json(*spec);
  EXPECT_TRUE(typed) << typed.error().front().to_string();
}

INSTANTIATE_TEST_SUITE_P(Installed, Example,
                         testing::Values("train-fashion-mnist.yaml", "serve-fashion-mnist.yaml",
                                         "train-image-folder.yaml", "train-synthetic.yaml",
                                         "train-resnet18.yaml", "serve-resnet18.yaml", "train-lstm.yaml",
                                         "serve-while-training.yaml"));

}  // namespace
}  // namespace fulcrum::cli
