#include "profiler/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <utility>

namespace fulcrum::profiler {
namespace {

JobSpec spec_of(const char* text) {
  auto spec = JobSpec::from_json(Json::parse(text));
  if (!spec) throw std::runtime_error(spec.error().front().to_string());
  return *std::move(spec);
}

JobSpec training() {
  return spec_of(R"({"kind": "training", "model": {"builtin": "lenet5"},
    "dataset": {"format": "idx", "images": "/d/images", "labels": "/d/labels"}})");
}

JobSpec inference() {
  return spec_of(R"({"kind": "inference", "model": {"builtin": "lenet5"}, "latency_budget_ms": 100,
    "source": {"kind": "replay", "rate_hz": 60,
               "dataset": {"format": "idx", "images": "/d/images", "labels": "/d/labels"}}})");
}

constexpr ExecutionTraits kSimulated{true, 4};
constexpr ExecutionTraits kReal{false, 4};

TrainingSpec& as_training(JobSpec& spec) {
  return std::get<TrainingSpec>(spec.kind);
}
InferenceSpec& as_inference(JobSpec& spec) {
  return std::get<InferenceSpec>(spec.kind);
}

SyntheticData made_up(std::vector<std::int64_t> shape) {
  return {1000, std::move(shape), 10, 1};
}

IdxFiles& idx_of(DatasetSpec& dataset) {
  return std::get<IdxFiles>(dataset.source);
}

using Change = std::function<void(JobSpec&)>;

bool matters(JobSpec spec, const Change& change, const ExecutionTraits& traits = kSimulated) {
  const auto before = workload_fingerprint(spec, traits);
  change(spec);
  return workload_fingerprint(spec, traits) != before;
}

TEST(Fingerprint, IsTakenOfTheDocumentedForm) {
  EXPECT_EQ(to_line(canonical_workload(training(), kSimulated)),
            R"({"class":"light-cnn","data":{"format":"idx"},"format":1,)"
            R"("loader":{"prefetch":2,"workers":4},"loss":"cross_entropy",)"
            R"("model":{"builtin":"lenet5","num_classes":10},"optimizer":{"momentum":true,"name":"sgd"},)"
            R"("task":"training","threads":4})");
  EXPECT_EQ(to_line(canonical_workload(inference(), kReal)),
            R"({"data":{"format":"idx"},"format":1,"model":{"builtin":"lenet5","num_classes":10},)"
            R"("task":"inference","threads":4})");
}

// Known answers: should one change, then every stored measurement would be lost to its workload.
TEST(Fingerprint, IsTheSameInEveryVersion) {
  EXPECT_EQ(workload_fingerprint(training(), kSimulated), "1e1263c5a29b7f3c");
  EXPECT_EQ(workload_fingerprint(inference(), kReal), "210c1ac80640f707");
}

TEST(Fingerprint, IsFnv1a) {
  EXPECT_EQ(fingerprint_of(Json::object()), "08f44b07b5901a25");
}

TEST(Fingerprint, ChangesWithTheTask) {
  EXPECT_NE(workload_fingerprint(training(), kReal), workload_fingerprint(inference(), kReal));
}

TEST(Fingerprint, ChangesWithWhatATrainingStepDoes) {
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { s.model.builtin = "resnet18"; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { s.model.num_classes = 100; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).dataset.source = made_up({3, 32, 32}); }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.loss = "mse"; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.optimizer.name = "adam"; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.optimizer.momentum = 0; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.clipping = {1.0, {}}; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.micro_batch_size = 4; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).optimization.precision = "mixed"; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { s.model = {"", 10, "/m.pt", {}}; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).loader.workers = 0; }));
  EXPECT_TRUE(matters(training(), [](JobSpec& s) { as_training(s).loader.prefetch = 8; }));
}

TEST(Fingerprint, ChangesWithWhatAnInferenceStepDoes) {
  EXPECT_TRUE(matters(inference(), [](JobSpec& s) { s.model.builtin = "resnet18"; }));
  EXPECT_TRUE(matters(inference(), [](JobSpec& s) { s.model.num_classes = 100; }));
  EXPECT_TRUE(matters(inference(), [](JobSpec& s) {
    as_inference(s).source.dataset.source = made_up({3, 32, 32});
  }));
}

TEST(Fingerprint, ChangesWithTheThreads) {
  EXPECT_NE(workload_fingerprint(training(), {true, 4}), workload_fingerprint(training(), {true, 8}));
}

TEST(Fingerprint, ChangesWithTheClassOnASimulatedBoardOnly) {
  const Change change = [](JobSpec& s) { s.workload_class = "heavy-cnn"; };
  EXPECT_TRUE(matters(training(), change, kSimulated));
  EXPECT_TRUE(matters(inference(), change, kSimulated));
  EXPECT_FALSE(matters(training(), change, kReal));
}

TEST(Fingerprint, IsTheSameWhateverATrainingJobIsCalledAndHowLongItRuns) {
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { s.name = "another"; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { s.seed = 99; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).epochs = 50; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { idx_of(as_training(s).dataset).images = "/e/images"; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { idx_of(as_training(s).dataset).labels = "/e/labels"; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).output = "/out/weights.pt"; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).checkpoint_every_s = 5; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).validation.emplace(); }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).optimization.optimizer.lr = 0.1; }));
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).optimization.optimizer.momentum = 0.5; }));
}

TEST(Fingerprint, LeavesTheBatchSizeToTheKey) {
  EXPECT_FALSE(matters(training(), [](JobSpec& s) { as_training(s).batch_size = 64; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).batch_sizes = {2}; }));
}

TEST(Fingerprint, IsTheSameForEveryRateAndBudget) {
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { s.name = "another"; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).latency_budget_ms = 5; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).percentile = 95; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).arrival_rate_hz = 5; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).source.rate_hz = 5; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).source.process = "poisson"; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).source.duration_s = 5; }));
  EXPECT_FALSE(matters(inference(), [](JobSpec& s) { as_inference(s).source.seed = 5; }));
  EXPECT_FALSE(
      matters(inference(), [](JobSpec& s) { idx_of(as_inference(s).source.dataset).images = "/e/images"; }));
}

TEST(Fingerprint, IsRecognised) {
  EXPECT_TRUE(is_fingerprint(workload_fingerprint(training(), kReal)));
  EXPECT_FALSE(is_fingerprint(""));
  EXPECT_FALSE(is_fingerprint("0123456789abcde"));
  EXPECT_FALSE(is_fingerprint("0123456789abcdef0"));
  EXPECT_FALSE(is_fingerprint("0123456789abcdeg"));
}

}  // namespace
}  // namespace fulcrum::profiler
