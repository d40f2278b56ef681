#include "daemon/schema.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "daemon/method_table.h"

namespace fulcrum::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Json json(const std::string& text) {
  return Json::parse(text);
}

std::vector<std::string> faults_of(const Json& schema, const Json& value) {
  const auto compiled = Schema::compile(schema);
  if (!compiled) return {"schema refused: " + compiled.error().to_string()};
  std::vector<std::string> texts;
  for (const auto& fault : compiled->validate(value))
    texts.push_back(fault.to_string());
  return texts;
}

Json submit_schema() {
  const auto table = load_method_table();
  EXPECT_TRUE(table) << (table ? "" : table.error().to_string());
  for (const auto& method : table.value()) {
    if (method.name == "job.submit") return method.params;
  }
  return {};
}

std::vector<std::string> spec_faults(const Json& spec) {
  return faults_of(submit_schema(), {{"spec", spec}});
}

Json training_spec() {
  return json(R"({"kind": "training", "name": "fashion", "model": {"builtin": "lenet5", "num_classes": 10},
                  "dataset": {"format": "idx", "images": "/d/i.gz", "labels": "/d/l.gz"},
                  "loss": "cross_entropy", "optimizer": {"name": "sgd", "lr": 0.01, "momentum": 0.9},
                  "batch_size": 16, "epochs": 2, "seed": 1, "loader": {"workers": 4, "prefetch": 2},
                  "checkpoint": {"every_s": 30}, "output": "/o/fashion.pt"})");
}

Json inference_spec() {
  return json(R"({"kind": "inference", "name": "camera", "model": {"builtin": "lenet5"},
                  "latency_budget_ms": 100, "percentile": 99, "arrival": {"rate_hz": 60},
                  "source": {"kind": "replay", "process": "poisson", "rate_hz": 60, "duration_s": 10, "seed": 2,
                             "dataset": {"format": "idx", "images": "/d/i", "labels": "/d/l"}}})");
}

TEST(JobSchema, TakesAFullTrainingSpec) {
  EXPECT_THAT(spec_faults(training_spec()), ElementsAre());
}

TEST(JobSchema, TakesAFullInferenceSpec) {
  EXPECT_THAT(spec_faults(inference_spec()), ElementsAre());
}

TEST(JobSchema, TellsAllFaultsAtOnceAndOnlyThem) {
  auto spec = training_spec();
  spec["batch_size"] = 0;
  spec["epoch"] = 2;
  spec["dataset"]["images"] = "images.gz";
  spec["dataset"].erase("labels");
  spec["optimizer"]["momentum"] = 1;
  spec["model"]["builtin"] = "lenet";
  EXPECT_THAT(spec_faults(spec),
              UnorderedElementsAre("/spec/batch_size: must be at least 1, is 0",
                                   "/spec/epoch: unknown field 'epoch' (did you mean 'epochs'?)",
                                   "/spec/dataset/images: must be an absolute path, is 'images.gz' "
                                   "(fulcrumctl makes paths absolute)",
                                   "/spec/dataset/labels: is missing (absolute path)",
                                   "/spec/optimizer/momentum: must be below 1, is 1",
                                   "/spec/model/builtin: must be one of 'lenet5', 'mlp', 'lstm', is 'lenet' "
                                   "(did you mean 'lenet5'?)"));
}

TEST(JobSchema, TakesAModelFromAFileAndEverythingOfAnOptimization) {
  auto spec = training_spec();
  spec["model"] = {{"torchscript", "/m.pt"}};
  spec.merge_patch(json(R"({"loss": "in_model", "precision": "mixed", "micro_batch_size": 4,
      "optimizer": {"name": "rmsprop", "alpha": 0.9, "eps": 1e-6, "weight_decay": 0.1},
      "schedule": {"name": "cosine", "warmup_steps": 5, "over_epochs": 2, "min_factor": 0.1},
      "clip_gradients": {"norm": 1}})"));
  EXPECT_THAT(spec_faults(spec), ElementsAre());
  spec.merge_patch(json(R"({"optimizer": {"name": "sgd", "nesterov": 1}, "schedule": {"gama": 0.5}})"));
  EXPECT_THAT(spec_faults(spec),
              UnorderedElementsAre(HasSubstr("/spec/optimizer/nesterov"), HasSubstr("'gamma'")));
}

TEST(JobSchema, AFieldOfTheOtherKindIsUnknown) {
  auto spec = training_spec();
  spec["latency_budget_ms"] = 100;
  EXPECT_THAT(spec_faults(spec), ElementsAre(HasSubstr("/spec/latency_budget_ms: unknown field")));
}

TEST(JobSchema, AMissingKindIsTheOnlyFault) {
  EXPECT_THAT(spec_faults(Json::object()),
              ElementsAre("/spec/kind: is missing (one of 'training', 'inference')"));
}

TEST(JobSchema, AnUnknownKindIsTheOnlyFault) {
  auto spec = training_spec();
  spec["kind"] = "trianing";
  EXPECT_THAT(spec_faults(spec),
              ElementsAre("/spec/kind: must be one of 'training', 'inference', is 'trianing' "
                          "(did you mean 'training'?)"));
}

TEST(JobSchema, ASpecThatIsNoObjectIsTheOnlyFault) {
  EXPECT_THAT(spec_faults(json("[1, 2]")), ElementsAre("/spec: must be an object, is a list"));
}

TEST(JobSchema, ADatasetIsExplainedByItsFormat) {
  auto spec = training_spec();
  spec["dataset"] = {{"format", "synthetic"}, {"samples", 0}, {"images", "/d/i"}};
  EXPECT_THAT(spec_faults(spec),
              UnorderedElementsAre("/spec/dataset/samples: must be at least 1, is 0",
                                   HasSubstr("/spec/dataset/shape: is missing (of one sample"),
                                   HasSubstr("/spec/dataset/images: unknown field 'images'")));
  spec["dataset"] = {{"format", "sintetic"}};
  EXPECT_THAT(spec_faults(spec), ElementsAre(HasSubstr("(did you mean 'synthetic'?)")));
}

TEST(JobSchema, AFaultInAListNamesItsPlace) {
  auto spec = inference_spec();
  spec["batch_sizes"] = {1, 0, "x"};
  EXPECT_THAT(spec_faults(spec), ElementsAre("/spec/batch_sizes/1: must be at least 1, is 0",
                                             "/spec/batch_sizes/2: must be a whole number, is 'x'"));
}

TEST(JobSchema, SeedsAreLimitedToWhatEveryJsonReaderKeepsExactly) {
  auto spec = training_spec();
  spec["seed"] = 9007199254740991;
  EXPECT_THAT(spec_faults(spec), ElementsAre());
  spec["seed"] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(spec_faults(spec),
              ElementsAre("/spec/seed: must be at most 9007199254740991, is 18446744073709551615"));
  spec["seed"] = -1;
  EXPECT_THAT(spec_faults(spec), ElementsAre("/spec/seed: must be at least 0, is -1"));
}

TEST(Schema, NamesWrongTypesInWords) {
  EXPECT_THAT(faults_of(json(R"({"type": "integer"})"), 1.5), ElementsAre("must be a whole number, is 1.5"));
  EXPECT_THAT(faults_of(json(R"({"type": "boolean"})"), "yes"),
              ElementsAre("must be true or false, is 'yes'"));
  EXPECT_THAT(faults_of(json(R"({"type": ["object", "null"]})"), 3),
              ElementsAre("must be an object or null, is 3"));
}

TEST(Schema, NamesLengthsInWords) {
  EXPECT_THAT(faults_of(json(R"({"minLength": 1})"), ""), ElementsAre("must not be empty"));
  EXPECT_THAT(faults_of(json(R"({"maxLength": 3})"), "abcd"),
              ElementsAre("must have at most 3 characters, has 4"));
  EXPECT_THAT(faults_of(json(R"({"minItems": 1})"), Json::array()), ElementsAre("must not be empty"));
  EXPECT_THAT(faults_of(json(R"({"maxItems": 1})"), {1, 2}), ElementsAre("must have at most 1 items, has 2"));
}

TEST(Schema, AKeywordWithoutWordsIsStillAFault) {
  EXPECT_THAT(faults_of(json(R"({"multipleOf": 4})"), 6), ElementsAre(HasSubstr("multiple of 4")));
}

TEST(Schema, ALongValueIsNotRepeatedWhole) {
  const auto faults = faults_of(json(R"({"type": "integer"})"), std::string(1000, 'x'));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_LT(faults.front().size(), 120u);
}

TEST(Schema, FieldNamesAreEscapedInPointers) {
  EXPECT_THAT(faults_of(json(R"({"additionalProperties": false})"), {{"a/b~c", 1}}),
              ElementsAre("/a~1b~0c: unknown field 'a/b~c'"));
}

TEST(Schema, AValueWithTooManyPartsIsRefusedUnread) {
  const auto schema = Schema::compile(json(R"({"items": {"type": "string"}})"));
  const auto faults = schema->validate(Json(std::vector<int>(Schema::kMaxParts + 1, 0)));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults.front().code, ErrorCode::limit_exceeded);
}

TEST(Schema, TheNumberOfFaultsIsBounded) {
  const auto schema = Schema::compile(json(R"({"items": {"type": "string"}})"));
  EXPECT_EQ(schema->validate(Json(std::vector<int>(1000, 0))).size(), Schema::kMaxFaults);
}

TEST(Schema, AReferenceKeepsTheWordsBesideIt) {
  const auto expanded = expand_references(json(
      R"({"definitions": {"n": {"type": "integer"}}, "items": {"$ref": "#/definitions/n", "default": 3}})"));
  ASSERT_TRUE(expanded);
  EXPECT_EQ(expanded->at("items"), json(R"({"type": "integer", "default": 3})"));
}

TEST(Schema, AReferenceToNothingIsAnError) {
  const auto expanded = expand_references(json(R"({"items": {"$ref": "#/definitions/none"}})"));
  ASSERT_FALSE(expanded);
  EXPECT_EQ(expanded.error().code, ErrorCode::not_found);
}

TEST(Schema, AReferenceToItselfIsAnError) {
  const auto expanded =
      expand_references(json(R"({"definitions": {"a": {"items": {"$ref": "#/definitions/a"}}}})"));
  ASSERT_FALSE(expanded);
  EXPECT_EQ(expanded.error().code, ErrorCode::limit_exceeded);
}

// Any value of JSON, small.
rc::Gen<Json> any_json(int depth) {
  auto leaf = rc::gen::oneOf(
      rc::gen::just(Json()), rc::gen::map(rc::gen::arbitrary<int>(), [](int i) { return Json(i); }),
      rc::gen::map(rc::gen::element<std::string>("", "/p", "training", "lenet5", "idx"),
                   [](const std::string& s) { return Json(s); }));
  if (depth == 0) return leaf;
  const auto name =
      rc::gen::element<std::string>("kind", "dataset", "images", "batch_size", "model", "oddity");
  const auto object = rc::gen::map(rc::gen::container<std::map<std::string, Json>>(
                                       name, rc::gen::lazy([=] { return any_json(depth - 1); })),
                                   [](const std::map<std::string, Json>& m) { return Json(m); });
  return rc::gen::oneOf(leaf, object);
}

RC_GTEST_PROP(JobSchemaProperty, EveryFaultIsAtAPlaceAndInWords, ()) {
  static const Schema schema = Schema::compile(submit_schema()).value();
  auto spec = training_spec();
  const auto field =
      *rc::gen::element<std::string>("kind", "dataset", "batch_size", "model", "oddity", "optimizer");
  spec[field] = *any_json(3);
  for (const auto& fault : schema.validate({{"spec", spec}}, "/params")) {
    RC_ASSERT(fault.field.rfind("/params/spec", 0) == 0);
    RC_ASSERT(fault.message.find("constraint") == std::string::npos);
  }
}

}  // namespace
}  // namespace fulcrum::daemon
