#include "common/dataset_spec.h"

#include <gtest/gtest.h>

#include <string>

namespace fulcrum {
namespace {

// "field: message" of every fault of {"dataset": json}.
std::vector<std::string> faults_in(const Json& json) {
  std::vector<Error> faults;
  const Json parent{{"dataset", json}};
  JsonFields fields(parent, "", faults);
  DatasetSpec spec;
  read_dataset(fields, spec);
  std::vector<std::string> texts;
  texts.reserve(faults.size());
  for (const auto& fault : faults)
    texts.push_back(fault.field + ": " + fault.message);
  return texts;
}

DatasetSpec spec_of(const Json& json) {
  std::vector<Error> faults;
  const Json parent{{"dataset", json}};
  JsonFields fields(parent, "", faults);
  DatasetSpec spec;
  read_dataset(fields, spec);
  EXPECT_TRUE(faults.empty()) << faults.front().to_string();
  return spec;
}

Json idx() {
  return {{"format", "idx"}, {"images", "/d/images.gz"}, {"labels", "/d/labels.gz"}};
}
Json synthetic() {
  return {{"format", "synthetic"}, {"samples", 1000}, {"shape", {3, 32, 32}}, {"classes", 10}, {"seed", 4}};
}

Json cifar10() {
  return {{"format", "cifar10"},
          {"files", {"/d/data_batch_1.bin", "/d/data_batch_2.bin"}},
          {"mean", {0.49, 0.48, 0.45}},
          {"std", {0.25, 0.24, 0.26}}};
}
Json image_folder() {
  return {{"format", "image_folder"},
          {"root", "/d/photos"},
          {"size", {224, 192}},
          {"resize", 256},
          {"channels", 3},
          {"mean", {0.485, 0.456, 0.406}},
          {"std", {0.229, 0.224, 0.225}},
          {"augment", {{"flip", true}, {"crop", true}}}};
}
Json npy() {
  return {{"format", "npy"}, {"inputs", "/d/x.npy"}, {"targets", "/d/y.npy"}};
}
Json tokens() {
  return {{"format", "tokens"},
          {"file", "/d/t.bin"},
          {"dtype", "uint16"},
          {"sequence_length", 128},
          {"vocabulary", 50257}};
}

class EveryFormat : public testing::TestWithParam<Json> {};
INSTANTIATE_TEST_SUITE_P(Is, EveryFormat,
                         testing::Values(idx(), cifar10(), image_folder(), npy(), tokens(), synthetic()));

TEST_P(EveryFormat, SurvivesJson) {
  EXPECT_EQ(spec_of(GetParam()).to_json(), GetParam());
}

TEST_P(EveryFormat, NamesItsFiles) {
  const auto spec = spec_of(GetParam());
  EXPECT_EQ(spec.format(), GetParam().at("format"));
  const Json json = spec.to_json();
  for (const auto& file : spec.files())
    EXPECT_EQ(json.at(Json::json_pointer(file.field)), file.path);
}

TEST_P(EveryFormat, CostsTheSameElsewhere) {
  const auto text = to_line(spec_of(GetParam()).cost_traits());
  for (const char* word : {"/d/", "seed", "samples"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
}

TEST_P(EveryFormat, RefusesAFieldOfNoFormat) {
  Json json = GetParam();
  json["oddity"] = 1;
  EXPECT_EQ(faults_in(json), std::vector<std::string>{"/dataset/oddity: unknown field"});
}

TEST(DatasetSpec, OfAnUnknownFormatIsTheOnlyFault) {
  EXPECT_EQ(faults_in({{"format", "idxx"}, {"oddity", 1}}),
            std::vector<std::string>{"/dataset/format: unknown value \"idxx\""});
}

TEST(DatasetSpec, FillsInDefaults) {
  const auto cifar = spec_of({{"format", "cifar10"}, {"files", {"/d/a"}}}).to_json();
  EXPECT_EQ(cifar.at("mean"), Json({0.5, 0.5, 0.5}));
  EXPECT_EQ(cifar.at("std"), Json({0.5, 0.5, 0.5}));
  const auto text = spec_of({{"format", "tokens"}, {"file", "/d/a"}, {"sequence_length", 4}}).to_json();
  EXPECT_EQ(text.at("dtype"), "uint16");
  EXPECT_FALSE(text.contains("vocabulary"));
}

TEST(DatasetSpec, TakesScalesOfEachChannel) {
  for (const auto& [name, value] :
       {std::pair{"mean", Json({0.5})}, {"std", Json({0.5, 0.5, 0})}, {"std", Json(0.5)}}) {
    Json json = cifar10();
    json[name] = value;
    const auto faults = faults_in(json);
    ASSERT_EQ(faults.size(), 1U) << value;
    EXPECT_NE(faults.front().find("must be a list of 3 numbers"), std::string::npos) << faults.front();
  }
}

TEST(DatasetSpec, TakesAListOfPaths) {
  Json json = cifar10();
  json["files"] = {"/d/a", "b"};
  EXPECT_EQ(faults_in(json), std::vector<std::string>{"/dataset/files: item 1: an absolute path is needed"});
  json["files"] = Json::array();
  EXPECT_EQ(faults_in(json),
            std::vector<std::string>{"/dataset/files: must be a list of 1 to 1000 paths, not []"});
}

TEST(DatasetSpec, FillsInTheDefaultsOfAnImageFolder) {
  const Json given{{"format", "image_folder"}, {"root", "/d"}, {"size", {28, 28}}, {"channels", 1}};
  const auto json = spec_of(given).to_json();
  EXPECT_EQ(json.at("mean"), Json({0.5}));
  EXPECT_EQ(json.at("std"), Json({0.5}));
  EXPECT_EQ(json.at("augment"), (Json{{"flip", false}, {"crop", false}}));
  EXPECT_FALSE(json.contains("resize"));
}

TEST(DatasetSpec, RefusesImagesOfNoSize) {
  Json json = image_folder();
  for (const auto& size :
       {Json({224}), Json::parse("[224, 0]"), Json({224, 5000}), Json(224), Json({1, 2, 3})}) {
    json["size"] = size;
    EXPECT_EQ(faults_in(json).size(), 1U) << size;
  }
}

TEST(DatasetSpec, RefusesToCutALargeSizeOutOfASmallImage) {
  Json json = image_folder();
  json["resize"] = 200;
  EXPECT_EQ(
      faults_in(json),
      std::vector<std::string>{"/dataset/resize: a shorter side of 200 has no room for a size of 224 x 192"});
}

TEST(DatasetSpec, RefusesTwoChannels) {
  Json json = image_folder();
  json.erase("mean");
  json.erase("std");
  json["channels"] = 2;
  EXPECT_EQ(faults_in(json), std::vector<std::string>{"/dataset/channels: must be 1 or 3, not 2"});
}

TEST(DatasetSpec, RefusesTokensOfNoLengthOrType) {
  Json json = tokens();
  json["sequence_length"] = 0;
  json["dtype"] = "float32";
  EXPECT_EQ(faults_in(json).size(), 2U);
}

TEST(DatasetSpec, MakesUpNoSampleThatIsTooLarge) {
  Json json = synthetic();
  json["shape"] = {1000000, 1000000};
  EXPECT_EQ(faults_in(json),
            std::vector<std::string>{"/dataset/shape: one sample would have more than 67108864 numbers"});
  for (const auto& shape :
       {Json::array(), Json::parse("[0]"), Json({1.5}), Json("3"), Json(std::vector<int>(9, 1))}) {
    json["shape"] = shape;
    EXPECT_EQ(faults_in(json).size(), 1U) << shape;
  }
}

}  // namespace
}  // namespace fulcrum
