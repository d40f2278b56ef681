// The same network, data, order and seed give the same losses here as in Python, and the trained network the
// same answers. Needs Debian's python3-torch and python3-torchvision; without them it is skipped.

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/unit/workloads/tiny_job.h"
#include "workloads/job_trial.h"
#include "workloads/shuffle.h"

namespace fulcrum::workloads {
namespace {

constexpr std::size_t kSteps = 50;
constexpr std::size_t kSamples = 48;
constexpr std::size_t kBatchSize = 4;
constexpr std::size_t kStepsPerEpoch = kSamples / kBatchSize;
constexpr double kTolerance = 1e-4;

struct Ended {
  int status = -1;
  std::string output;
};

Ended run_program(const std::string& command) {
  Ended ended;
  FILE* pipe = ::popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a fixed program
  if (pipe == nullptr) return ended;
  char part[4096];
  while (const std::size_t n = std::fread(part, 1, sizeof part, pipe))
    ended.output.append(part, n);
  ended.status = ::pclose(pipe);
  return ended;
}

std::string raw(const std::shared_ptr<std::byte>& memory, const ArrayLayout& layout, std::size_t count) {
  return {reinterpret_cast<const char*>(memory.get()), count * layout.bytes()};
}

struct Case {
  const char* model;
  const char* optimizer;  // as in a job, but for lr
  const char* options;    // the same for Python
  double lr;
};

void PrintTo(const Case& it, std::ostream* out) {
  *out << it.model << " with " << it.optimizer;
}

class PythonParity : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto there = run_program("/usr/bin/python3 -c 'import torch, torchvision' 2>&1");
    if (there.status != 0) GTEST_SKIP() << "no python3-torch and python3-torchvision: " << there.output;
  }

  JobSpec job(const std::string& model_path) {
    TrainingSpec training;
    training.dataset = test::write_tiny_dataset(directory_.path(), "train", kSamples, 3, 1);
    Json json{{"kind", "training"}, {"model", {{"torchscript", model_path}}}, {"seed", 11}};
    JobSpec spec;
    spec.kind = training;
    json["dataset"] = spec.to_json().at("dataset");
    json["batch_size"] = kBatchSize;
    json["epochs"] = 5;
    json["optimizer"] = Json::parse(GetParam().optimizer);
    json["optimizer"]["lr"] = GetParam().lr;
    return JobSpec::from_json(json).value();
  }

  Json question(const JobSpec& spec, const Dataset& dataset) {
    std::vector<std::size_t> all(dataset.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    const Minibatch minibatch = dataset.read(all).value();
    test::spill(directory_ / "inputs", raw(minibatch.inputs, dataset.layout().input, minibatch.size()));
    test::spill(directory_ / "targets", raw(minibatch.targets, dataset.layout().target, minibatch.size()));
    Json steps = Json::array();
    for (std::size_t step = 0; step < kSteps; ++step) {
      const auto order = shuffled(dataset.size(), spec.seed, step / kStepsPerEpoch);
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(step % kStepsPerEpoch * kBatchSize);
      steps.push_back(std::vector<std::size_t>(first, first + kBatchSize));
    }
    return {{"model", spec.model.torchscript},
            {"inputs", directory_ / "inputs"},
            {"targets", directory_ / "targets"},
            {"shape", dataset.layout().input.shape},
            {"steps", std::move(steps)},
            {"optimizer", spec.training()->optimization.optimizer.name},
            {"lr", GetParam().lr},
            {"options", Json::parse(GetParam().options)},
            {"seed", spec.seed}};
  }

  test::TempDir directory_;
  ManualClock clock_;
};

TEST_P(PythonParity, LossesAndAnswersAreEqual) {
  const std::string name = GetParam().model;
  const auto exported = run_program(std::string(FULCRUM_SOURCE_DIR) + "/scripts/export-models " + name +
                                    " --channels 1 --classes 3 --out " + directory_.path() + " 2>&1");
  ASSERT_EQ(exported.status, 0) << exported.output;
  const JobSpec spec = job(directory_ / (name + "-train.pt"));
  const auto faults = try_job(spec);
  ASSERT_TRUE(faults.empty()) << faults.front().to_string();

  test::RunOptions options;
  options.checkpoint_directory = directory_ / "checkpoints";
  options.clock = &clock_;
  const auto run = test::create_training_run(spec, options).value();
  std::vector<double> losses;
  for (std::size_t i = 0; i < kSteps; ++i)
    losses.push_back(run->step().value().loss);

  const auto dataset = load_dataset(spec.training()->dataset, 3).value();
  test::spill(directory_ / "question", question(spec, *dataset).dump());
  const auto python = run_program("/usr/bin/python3 " + std::string(FULCRUM_SOURCE_DIR) +
                                  "/tests/support/train_in_python.py " + (directory_ / "question"));
  ASSERT_EQ(python.status, 0) << python.output;
  const Json answer = Json::parse(python.output);
  const auto expected = answer.at("losses").get<std::vector<double>>();
  ASSERT_EQ(expected.size(), kSteps);
  for (std::size_t i = 0; i < kSteps; ++i) {
    EXPECT_NEAR(losses[i], expected[i], kTolerance) << "step " << i;
  }
  EXPECT_LT(losses.back(), losses.front()) << "it learns";

  // Served: what was trained, and what was exported for it.
  JobSpec serve = test::tiny_inference_job(directory_.path());
  std::get<InferenceSpec>(serve.kind).source.dataset = spec.training()->dataset;
  serve.model = {};
  serve.model.torchscript = directory_ / (name + "-infer.pt");
  EXPECT_TRUE(try_job(serve).empty());
  serve.model.torchscript = directory_ / "trained.pt";
  ASSERT_TRUE(run->write_output(serve.model.torchscript));
  const auto serving = test::create_inference_run(serve, {1, &clock_}).value();
  std::vector<std::size_t> all(dataset->size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  EXPECT_EQ(serving->run(all).value().predictions, answer.at("answers").get<std::vector<std::int64_t>>());
}

INSTANTIATE_TEST_SUITE_P(
    Of, PythonParity,
    testing::Values(Case{"resnet18", R"({"name": "adamw"})", R"({})", 0.001},
                    Case{"mobilenet_v3_large",
                         R"({"momentum": 0.9, "nesterov": true, "weight_decay": 0.0005})",
                         R"({"momentum": 0.9, "nesterov": true, "weight_decay": 0.0005})", 0.01}));

}  // namespace
}  // namespace fulcrum::workloads
