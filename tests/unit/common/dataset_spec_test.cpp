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
INSTANTIATE_TEST_SUITE_P(Is, EveryFormat, testing::Values(idx(), cifar10(), npy(), tokens(), synthetic()));

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
  for (const auto& shape : {Json::array(), Json({0}), Json({1.5}), Json("3"), Json(std::vector<int>(9, 1))}) {
    json["shape"] = shape;
    EXPECT_EQ(faults_in(json).size(), 1U) << shape;
  }
}

}  // namespace
}  // namespace fulcrum
