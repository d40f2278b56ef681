#include "cli/render.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/odd_answers.h"

namespace fulcrum::cli {
namespace {

using test::kMaxn;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Render, TrainingProgressOnOneLine) {
  EXPECT_EQ(
      progress_text(Json::parse(R"({"epoch": 1, "epochs": 2, "minibatch": 1200, "minibatches_per_epoch": 3750,
                                          "train_loss": 0.41234, "minibatches_per_s": 210.44,
                                          "validations": [{"epoch": 1, "accuracy": 0.8412, "loss": 0.4}]})")),
      "epoch 1/2  minibatch 1200/3750  loss 0.412  210.4 minibatches/s  accuracy 84.12 %");
}

TEST(Render, InferenceProgressOnOneLine) {
  EXPECT_EQ(progress_text(Json::parse(R"({"requests": 1210, "served": 1200, "inside_budget": 0.9975,
                                          "latency_p50_ms": 12.34, "latency_p99_ms": 40.12, "latency_max_ms": 55.0})")),
            "served 1200/1210  99.75 % in budget  p50 12.3 ms  p99 40.1 ms  max 55.0 ms");
}

TEST(Render, NoProgressIsNoText) {
  EXPECT_EQ(progress_text(Json::object()), "");
  EXPECT_EQ(progress_text(Json(nullptr)), "");
  EXPECT_EQ(progress_text({{"epoch", "one"}}), "");
}

TEST(Render, AModeInMegahertz) {
  EXPECT_EQ(mode_text(kMaxn), "12 cores, CPU 2202 MHz, GPU 1300 MHz, EMC 3199 MHz");
}

TEST(Render, JobsAreATable) {
  const auto text = render_jobs(Json::parse(R"({"jobs": [
      {"id": 1, "name": "fashion", "kind": "training", "state": "running", "submitted_ms": 0, "progress": {"epoch": 1}},
      {"id": 12, "name": "camera", "kind": "inference", "state": "failed", "submitted_ms": 0, "error": "no memory"}]})"));
  EXPECT_THAT(
      text, AllOf(HasSubstr("ID  NAME     KIND       STATE"), HasSubstr("epoch 1"), HasSubstr("no memory")));
}

TEST(Render, NoJobsIsSaid) {
  EXPECT_EQ(render_jobs(Json::parse(R"({"jobs": []})")), "no jobs\n");
}

TEST(Render, AJobShowsEachFieldOfItsSpec) {
  const auto text = render_job(Json::parse(R"({"id": 1, "name": "n", "spec": {"optimizer": {"lr": 0.01}}})"));
  EXPECT_THAT(text, HasSubstr("spec.optimizer.lr  0.01\n"));
}

TEST(Render, APlanNamesModeAndJobs) {
  Json plan{{"policy", "managed"}, {"mode", kMaxn}, {"mode_name", "MAXN"}};
  plan["inference"] = Json::parse(R"([{"job": 2, "name": "camera", "batch_size": 4, "window_ms": 66.66,
                                       "step_p99_ms": 3.2, "latency_budget_ms": 100}])");
  plan["training"] =
      Json::parse(R"([{"job": 1, "name": "fashion", "step_p99_ms": 4.5, "warning": "starved"}])");
  plan["training_per_window"] = 13;
  plan["window_ms"] = 66.66;
  plan["expected_train_minibatches_per_s"] = 195.0;
  EXPECT_THAT(
      render_plan({{"plan", plan}}),
      AllOf(HasSubstr("MAXN (12 cores"), HasSubstr("13 minibatches, a window of 66.7 ms, 195.0/s at most"),
            HasSubstr("100 ms"), HasSubstr("4.50 ms"), HasSubstr("starved")));
}

TEST(Render, WhyNothingRunsIsSaid) {
  const Json answer{{"plan", nullptr}, {"worker_trouble", "killed by signal 9"}};
  EXPECT_THAT(render_plan(answer), HasSubstr("killed by signal 9"));
}

TEST(Render, NoPlanIsSaid) {
  EXPECT_THAT(render_plan({{"plan", nullptr}}), HasSubstr("nothing is planned"));
}

TEST(Render, NotesAndWarningsOfAPlanAreTold) {
  const Json answer{{"plan", {{"policy", "managed"}, {"warning", "too hot"}}}, {"notes", {"job 3 waits", 7}}};
  EXPECT_THAT(render_plan(answer), AllOf(HasSubstr("warning  too hot\n"), HasSubstr("note     job 3 waits\n"),
                                         Not(HasSubstr("7"))));
}

TEST(Render, NotesAreToldWithoutAPlan) {
  EXPECT_THAT(render_plan({{"plan", nullptr}, {"notes", {"job 3 waits"}}}), HasSubstr("note  job 3 waits\n"));
}

std::string budget_text(const char* answer) {
  return render_budget(Json::parse(answer));
}

TEST(Render, ABudgetSaysWhereItComesFrom) {
  EXPECT_EQ(budget_text(R"({"power_w": 22, "source": "set", "config_power_w": 30})"),
            "power budget  22 W (set; the configuration has 30 W)\n");
  EXPECT_EQ(budget_text(R"({"power_w": null, "source": "set", "config_power_w": 30.5})"),
            "power budget  none (set; the configuration has 30.5 W)\n");
  EXPECT_EQ(budget_text(R"({"power_w": 22, "source": "set", "config_power_w": null})"),
            "power budget  22 W (set; the configuration has none)\n");
  EXPECT_EQ(budget_text(R"({"power_w": 30, "source": "config", "config_power_w": 30})"),
            "power budget  30 W (from the configuration)\n");
  EXPECT_EQ(budget_text(R"({"power_w": null, "source": "none", "config_power_w": null})"),
            "power budget  none\n");
}

TEST(Render, ABudgetOfOddPartsIsSurvived) {
  test::for_each_odd({{"power_w", 22}, {"source", "set"}, {"config_power_w", 30}},
                     [](const Json& odd) { EXPECT_THAT(render_budget(odd), Not(HasSubstr("\x1b"))); });
}

TEST(Render, AnswersOfAnyShapeAreSurvived) {
  for (const auto& odd :
       {Json(), Json(3), Json("x"), Json::array({1}), Json::object(), Json{{"jobs", 3}, {"plan", 7}}}) {
    render_jobs(odd);
    render_job(odd);
    render_result(odd);
    render_plan(odd);
    render_methods(odd);
    EXPECT_THAT(render_version(odd), Not(HasSubstr("null")));
  }
}

}  // namespace
}  // namespace fulcrum::cli
