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

class EveryFormat : public testing::TestWithParam<Json> {};
INSTANTIATE_TEST_SUITE_P(Is, EveryFormat, testing::Values(idx(), synthetic()));

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
