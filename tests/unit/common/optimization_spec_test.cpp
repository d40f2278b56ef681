#include "common/optimization_spec.h"

#include <gtest/gtest.h>

#include <vector>

namespace fulcrum {
namespace {

struct Read {
  OptimizationSpec spec;
  std::vector<Error> faults;

  std::vector<std::string> fields() const {
    std::vector<std::string> fields;
    for (const auto& fault : faults)
      fields.push_back(fault.field);
    return fields;
  }
};

// Of a job of 16 samples a minibatch and 5 epochs.
Read read(const Json& json) {
  Read result;
  JsonFields fields(json, "", result.faults);
  read_optimization(fields, 16, 5, result.spec);
  fields.finish();
  return result;
}

Json written(const OptimizationSpec& spec) {
  Json json = Json::object();
  add_optimization(spec, json);
  return json;
}

using Fields = std::vector<std::string>;

TEST(OptimizationSpec, EachOptimizerHasItsDefaults) {
  EXPECT_EQ(written(read(Json::object()).spec).at("optimizer"),
            Json({{"name", "sgd"}, {"lr", 0.01}, {"momentum", 0.9}}));
  const auto adam = read({{"optimizer", {{"name", "adam"}}}}).spec.optimizer;
  EXPECT_EQ(adam.lr, 0.001);
  EXPECT_EQ(adam.weight_decay, 0);
  EXPECT_EQ(read({{"optimizer", {{"name", "adamw"}}}}).spec.optimizer.weight_decay, 0.01);
  EXPECT_EQ(read({{"optimizer", {{"name", "rmsprop"}}}}).spec.optimizer.momentum, 0);
}

TEST(OptimizationSpec, SurvivesItsJson) {
  for (const char* text : {
           R"({})",
           R"({"loss": "mse", "precision": "mixed", "micro_batch_size": 4})",
           R"({"non_finite_loss": "skip"})",
           R"({"loss": "nll", "clip_gradients": {"norm": 1.5}, "schedule": {"warmup_steps": 10}})",
           R"({"loss": "in_model", "clip_gradients": {"value": 0.5}})",
           R"({"optimizer": {"name": "sgd", "momentum": 0.8, "nesterov": true, "weight_decay": 0.0005}})",
           R"({"optimizer": {"name": "adam", "beta1": 0.8, "beta2": 0.99, "eps": 1e-6}})",
           R"({"optimizer": {"name": "adamw", "lr": 0.1, "weight_decay": 0}})",
           R"({"optimizer": {"name": "rmsprop", "alpha": 0.9, "momentum": 0.5}})",
           R"({"schedule": {"name": "step", "every_epochs": 3, "gamma": 0.5}})",
           R"({"schedule": {"name": "cosine", "min_factor": 0.1, "warmup_steps": 7}})",
       }) {
    SCOPED_TRACE(text);
    const auto first = read(Json::parse(text));
    EXPECT_EQ(first.fields(), Fields{});
    const auto again = read(written(first.spec));
    EXPECT_EQ(again.fields(), Fields{});
    EXPECT_EQ(written(again.spec), written(first.spec));
    Json kept = written(first.spec);
    kept.merge_patch(Json::parse(text));
    EXPECT_EQ(kept, written(first.spec)) << "what was said is written down";
  }
}

TEST(OptimizationSpec, ACosineComesDownOverTheJobsEpochs) {
  EXPECT_EQ(read({{"schedule", {{"name", "cosine"}}}}).spec.schedule.over_epochs, 5);
  EXPECT_EQ(read({{"schedule", {{"name", "cosine"}, {"over_epochs", 9}}}}).spec.schedule.over_epochs, 9);
}

TEST(OptimizationSpec, RefusesWhatTheOptimizerDoesNotHave) {
  EXPECT_EQ(read({{"optimizer", {{"name", "adam"}, {"momentum", 0.9}}}}).fields(),
            Fields{"/optimizer/momentum"});
  EXPECT_EQ(read({{"optimizer", {{"name", "sgd"}, {"beta1", 0.9}}}}).fields(), Fields{"/optimizer/beta1"});
  EXPECT_EQ(read({{"optimizer", {{"name", "adamw"}, {"nesterov", true}}}}).fields(),
            Fields{"/optimizer/nesterov"});
  EXPECT_EQ(read({{"optimizer", {{"name", "adagrad"}}}}).fields(), Fields{"/optimizer/name"});
}

TEST(OptimizationSpec, NesterovNeedsMomentum) {
  EXPECT_EQ(read({{"optimizer", {{"momentum", 0}, {"nesterov", true}}}}).fields(),
            Fields{"/optimizer/nesterov"});
}

TEST(OptimizationSpec, RefusesWhatTheScheduleDoesNotHave) {
  EXPECT_EQ(read({{"schedule", {{"name", "cosine"}, {"gamma", 0.5}}}}).fields(), Fields{"/schedule/gamma"});
  EXPECT_EQ(read({{"schedule", {{"name", "step"}, {"over_epochs", 5}}}}).fields(),
            Fields{"/schedule/over_epochs"});
  EXPECT_EQ(read({{"schedule", {{"name", "linear"}}}}).fields(), Fields{"/schedule/name"});
}

TEST(OptimizationSpec, ClipsByOneOfTwo) {
  EXPECT_EQ(read({{"clip_gradients", Json::object()}}).fields(), Fields{"/clip_gradients"});
  EXPECT_EQ(read({{"clip_gradients", {{"norm", 1}, {"value", 1}}}}).fields(), Fields{"/clip_gradients"});
  EXPECT_EQ(read({{"clip_gradients", {{"norm", 0}}}}).fields(), Fields{"/clip_gradients/norm"});
}

TEST(OptimizationSpec, AMicroBatchIsPartOfAMinibatch) {
  EXPECT_EQ(read({{"micro_batch_size", 16}}).fields(), Fields{});
  EXPECT_EQ(read({{"micro_batch_size", 17}}).fields(), Fields{"/micro_batch_size"});
}

TEST(OptimizationSpec, RefusesOtherNames) {
  EXPECT_EQ(read({{"loss", "hinge"}}).fields(), Fields{"/loss"});
  EXPECT_EQ(read({{"precision", "float16"}}).fields(), Fields{"/precision"});
}

}  // namespace
}  // namespace fulcrum
