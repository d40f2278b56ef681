#include "common/job_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace fulcrum {
namespace {

Json training() {
  return Json::parse(R"({"kind": "training", "name": "fashion",
    "model": {"builtin": "lenet5", "num_classes": 10},
    "dataset": {"format": "idx", "images": "/d/images.gz", "labels": "/d/labels.gz"},
    "loss": "cross_entropy", "optimizer": {"name": "sgd", "lr": 0.01, "momentum": 0.9},
    "batch_size": 16, "epochs": 2, "seed": 1,
    "loader": {"workers": 4, "prefetch": 2, "shard": 1000}, "checkpoint": {"every_s": 30}, "output": "/out/fashion.pt",
    "validation": {"dataset": {"format": "idx", "images": "/d/t10k", "labels": "/d/t10k-l"}, "every_epochs": 2},
    "deterministic": true, "class": "light-cnn"})");
}

Json inference() {
  return Json::parse(R"({"kind": "inference", "name": "camera", "model": {"builtin": "lenet5"},
    "input": {"shape": [1, 28, 28], "dtype": "float32"},
    "latency_budget_ms": 100, "percentile": 99, "arrival": {"rate_hz": 60}, "batch_sizes": [16, 1, 4],
    "priority": "urgent",
    "source": {"kind": "replay", "dataset": {"format": "idx", "images": "/d/t10k", "labels": "/d/t10k-l"},
               "process": "poisson", "rate_hz": 60, "duration_s": 60, "seed": 1}})");
}

std::vector<std::string> faulty_fields(const Json& json) {
  std::vector<std::string> fields;
  if (const auto spec = JobSpec::from_json(json); !spec) {
    for (const auto& fault : spec.error())
      fields.push_back(fault.field);
  }
  return fields;
}

TEST(JobSpec, ReadsATrainingJob) {
  const auto spec = JobSpec::from_json(training());
  ASSERT_TRUE(spec) << spec.error().front().to_string();
  ASSERT_NE(spec->training(), nullptr);
  EXPECT_EQ(spec->training()->epochs, 2);
  EXPECT_EQ(spec->training()->validation->every_epochs, 2);
  EXPECT_EQ(spec->training()->output, "/out/fashion.pt");
  EXPECT_EQ(spec->batch_sizes(), std::vector<int>{16});
}

TEST(JobSpec, ReadsAnInferenceJobAndSortsItsBatchSizes) {
  const auto spec = JobSpec::from_json(inference());
  ASSERT_TRUE(spec) << spec.error().front().to_string();
  ASSERT_NE(spec->inference(), nullptr);
  EXPECT_EQ(spec->batch_sizes(), (std::vector<int>{1, 4, 16}));
  EXPECT_EQ(spec->inference()->source.process, "poisson");
  EXPECT_EQ(spec->inference()->source.duration_s, 60);
}

TEST(JobSpec, EarlyStoppingNeedsWhatItJudgesBy) {
  Json json = training();
  json["early_stopping"] = {{"patience", 2}, {"metric", "accuracy"}, {"min_delta", 0.01}};
  json["checkpoint"]["keep"] = 5;
  json["deterministic"] = false;
  const auto spec = JobSpec::from_json(json);
  ASSERT_TRUE(spec) << spec.error().front().to_string();
  EXPECT_EQ(spec->training()->early_stopping->patience, 2);
  EXPECT_EQ(spec->to_json(), JobSpec::from_json(spec->to_json())->to_json());
  EXPECT_EQ(spec->to_json().at("early_stopping"), json.at("early_stopping"));
  EXPECT_EQ(spec->to_json().at("checkpoint").at("keep"), 5);
  EXPECT_FALSE(spec->to_json().at("deterministic").get<bool>());

  json["loss"] = "mse";
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/early_stopping/metric"});
  json["loss"] = "cross_entropy";
  json.erase("validation");
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/early_stopping"});
}

TEST(JobSpec, SurvivesJsonWithItsDefaults) {
  for (const auto& json : {training(), inference()}) {
    const auto spec = JobSpec::from_json(json);
    ASSERT_TRUE(spec);
    const auto again = JobSpec::from_json(spec->to_json());
    ASSERT_TRUE(again) << again.error().front().to_string();
    EXPECT_EQ(again->to_json(), spec->to_json());
  }
}

TEST(JobSpec, TellsAllFaultsAtOnceWithTheirFields) {
  Json json = training();
  json["batch_size"] = 0;
  json["epochs"] = "two";
  json["optimizer"]["lr"] = -1;
  json["epoch"] = 3;
  json["dataset"].erase("labels");
  auto fields = faulty_fields(json);
  std::sort(fields.begin(), fields.end());
  EXPECT_EQ(fields, (std::vector<std::string>{"/batch_size", "/dataset/labels", "/epoch", "/epochs",
                                              "/optimizer/lr"}));
}

TEST(JobSpec, SuggestsTheFieldThatWasMeant) {
  Json json = training();
  json["epoch"] = 3;
  EXPECT_EQ(JobSpec::from_json(json).error().front().hint, "did you mean 'epochs'?");
}

TEST(JobSpec, RefusesARelativePath) {
  Json json = training();
  json["dataset"]["images"] = "images.gz";
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/dataset/images"});
}

TEST(JobSpec, RefusesBatchSizesThatAreNone) {
  for (const auto& sizes :
       {Json::array(), Json::array({0}), Json::array({1, 1}), Json::array({1.5}), Json("4")}) {
    Json json = inference();
    json["batch_sizes"] = sizes;
    EXPECT_FALSE(JobSpec::from_json(json)) << sizes;
  }
}

TEST(JobSpec, RefusesWhatIsNoObject) {
  for (const auto& json : {Json(nullptr), Json(1), Json::array(), Json("training"), Json::object()}) {
    EXPECT_FALSE(JobSpec::from_json(json)) << json;
  }
}

TEST(JobSpec, TakesAModelFromAFile) {
  Json json = training();
  json["model"] = {{"torchscript", "/m.pt"}};
  const auto spec = JobSpec::from_json(json);
  ASSERT_TRUE(spec) << spec.error().front().to_string();
  EXPECT_EQ(spec->to_json().at("model"), json["model"]);
  EXPECT_EQ(spec->input_files().front().field, "/model/torchscript");
  EXPECT_EQ(spec->input_files().front().path, "/m.pt");
}

TEST(JobSpec, AModelFromAFileMayHaveAnyInput) {
  Json json = inference();
  json["model"] = {{"torchscript", "/m.pt"}};
  json["input"]["shape"] = {3, 224, 224};
  const auto spec = JobSpec::from_json(json);
  ASSERT_TRUE(spec) << spec.error().front().to_string();
  EXPECT_EQ(spec->model.input_shape, (std::vector<std::int64_t>{3, 224, 224}));
  EXPECT_EQ(JobSpec::from_json(spec->to_json())->to_json(), spec->to_json());
  for (const auto& shape : {Json::array(), Json::array({0}), Json::array({1.5}), Json("224")}) {
    json["input"]["shape"] = shape;
    EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/input/shape"}) << shape;
  }
}

TEST(JobSpec, ABuiltinModelHasTheInputThatItHas) {
  Json json = inference();
  json["input"]["shape"] = {3, 224, 224};
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/input/shape"});
}

TEST(JobSpec, RefusesAModelThatIsNoneOrTwo) {
  Json json = training();
  for (const auto& [model, field] :
       {std::pair{Json::object(), "/model/builtin"},
        std::pair{Json({{"torchscript", "m.pt"}}), "/model/torchscript"},
        std::pair{Json({{"torchscript", "/m.pt"}, {"builtin", "lenet5"}}), "/model/builtin"},
        std::pair{Json({{"torchscript", "/m.pt"}, {"num_classes", 10}}), "/model/num_classes"},
        std::pair{Json({{"job", "fashion"}}), "/model"}}) {
    json["model"] = model;
    EXPECT_EQ(faulty_fields(json), std::vector<std::string>{field}) << model;
  }
}

TEST(JobSpec, AnInferenceJobMayServeWhatATrainingJobLearns) {
  Json json = inference();
  json.erase("input");
  for (const auto& model : {Json({{"job", "fashion"}}), Json({{"job", 7}, {"gate", "validation"}})}) {
    json["model"] = model;
    const auto spec = JobSpec::from_json(json);
    ASSERT_TRUE(spec) << spec.error().front().to_string();
    EXPECT_EQ(spec->to_json().at("model"), model);
    EXPECT_EQ(spec->model.served->gated, model.contains("gate"));
  }
  for (const auto& [model, field] :
       {std::pair{Json({{"job", ""}}), "/model/job"}, std::pair{Json({{"job", 1.5}}), "/model/job"},
        std::pair{Json({{"job", "a"}, {"gate", "yes"}}), "/model/gate"},
        std::pair{Json({{"job", "a"}, {"num_classes", 3}}), "/model/num_classes"}}) {
    json["model"] = model;
    EXPECT_EQ(faulty_fields(json), std::vector<std::string>{field}) << model;
  }
}

TEST(JobSpec, ALossInTheModelNeedsAModelFromAFile) {
  Json json = training();
  json["loss"] = "in_model";
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{"/loss"});
  json["model"] = {{"torchscript", "/m.pt"}};
  EXPECT_EQ(faulty_fields(json), std::vector<std::string>{});
}

TEST(JobSpec, NamesEveryFileWithItsField) {
  const auto files = JobSpec::from_json(training())->input_files();
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files.front().field, "/dataset/images");
  EXPECT_EQ(files.front().path, "/d/images.gz");
}

}  // namespace
}  // namespace fulcrum
