#include <gmock/gmock.h>

#include "cli/render.h"
#include "tests/unit/cli/odd_answers.h"

namespace fulcrum::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json mode(int cores, int gpu_mhz) {
  return {{"cpu_cores", cores}, {"cpu_khz", 1728000}, {"gpu_hz", gpu_mhz * 1000000}, {"emc_hz", 3199000000}};
}

Json way(const Json& mode, double throughput_hz, double latency_ms, double power_w, const Json& gain) {
  return {{"mode", mode},
          {"batch_size", 4},
          {"train_throughput_hz", throughput_hz},
          {"latency_ms", latency_ms},
          {"power_w", power_w},
          {"gain_percent", gain}};
}

Json profile(const char* task, int batch_size, double p50_ms, double p99_ms, double power_w) {
  return {{"task", task},     {"mode", mode(8, 918)}, {"batch_size", batch_size},
          {"p50_ms", p50_ms}, {"p99_ms", p99_ms},     {"power_w", power_w}};
}

// Training beside inference, after a search that found a mode.
Json concurrent() {
  Json plan{{"policy", "managed"}, {"mode", mode(8, 918)}, {"window_ms", 66.67}};
  Json choice = way(mode(8, 918), 195.2, 91.3, 29.4, nullptr);
  choice.erase("gain_percent");
  choice["training_per_window"] = 13;
  choice["binding"] = {{"constraint", "power"},
                       {"budget", 30},
                       {"used", 29.4},
                       {"needed", 31.2},
                       {"rules_out", way(mode(12, 918), 203.2, 91.0, 31.2, 4.1)}};
  choice["runner_up"] = way(mode(8, 803), 189.9, 93.1, 26.9, -2.7);
  choice["profiles"] = {profile("training", 16, 3.1, 3.2, 29.4), profile("inference", 4, 22.1, 24.6, 26.2)};
  choice["compared"] = 23;
  Json answer{{"plan", plan}, {"choice", choice}, {"infeasible", nullptr}};
  answer["search"] = Json::parse(
      R"({"strategy": "gmd", "state": "settled", "probes": 14, "modes": 9, "seconds": 21.3, "probing": null})");
  answer["problem"] = Json::parse(
      R"({"kind": "concurrent", "power_budget_w": 30, "latency_budget_ms": 100, "arrival_rate_hz": 60,
          "inference_batch_sizes": [1, 2, 4], "training_batch_size": 16, "modes": 441})");
  answer["notes"] = {"job 3 waits"};
  answer["watch"] = {{"power_w", 29.9}, {"power_factor", 1.0}};
  return answer;
}

Json infeasible() {
  Json answer = concurrent();
  answer["choice"] = nullptr;
  answer["infeasible"] = {
      {"reason", "no mode keeps both budgets"},
      {"proved", true},
      {"power_budget_w", {{"value", 31.2345}, {"mode", mode(12, 918)}, {"batch_size", 4}}},
      {"latency_budget_ms", {{"value", 110.2}, {"mode", mode(8, 803)}, {"batch_size", 2}}},
      {"compared", 23}};
  return answer;
}

TEST(Explanation, OfTrainingBesideInferenceFitsAHundredColumns) {
  EXPECT_EQ(render_explanation(concurrent()),
            R"(goal        the most training beside inference at 60 requests/s
mode        8 cores, CPU 1728 MHz, GPU 918 MHz, EMC 3199 MHz
batch size  4 for inference (of 1, 2, 4), 16 for training
power       29.4 W expected, budget 30 W, 29.9 W drawn
latency     91.3 ms expected, budget 100 ms
training    195.2 minibatches/s expected, 13 in each window of 66.7 ms
limit       power budget: with 31.2 W instead of 30 W, training 4.1 % faster
runner-up   training 2.7 % slower
search      gmd, settled, 14 probes in 9 of 441 modes, 21.3 s, 23 ways to run compared
note        job 3 waits

WAY TO RUN   BATCH  TRAINING  LATENCY  POWER   MODE
chosen       4      195.2/s   91.3 ms  29.4 W  8 cores, CPU 1728 MHz, GPU 918 MHz, EMC 3199 MHz
with 31.2 W  4      203.2/s   91.0 ms  31.2 W  12 cores, CPU 1728 MHz, GPU 918 MHz, EMC 3199 MHz
runner-up    4      189.9/s   93.1 ms  26.9 W  8 cores, CPU 1728 MHz, GPU 803 MHz, EMC 3199 MHz

PROFILE    BATCH  P50       P99       POWER   MODE
training   16     3.10 ms   3.20 ms   29.4 W  8 cores, CPU 1728 MHz, GPU 918 MHz, EMC 3199 MHz
inference  4      22.10 ms  24.60 ms  26.2 W  8 cores, CPU 1728 MHz, GPU 918 MHz, EMC 3199 MHz
)");
}

TEST(Explanation, OfSeveralInferenceJobsHasALatencyForEach) {
  Json answer = concurrent();
  auto& problem = answer["problem"];
  problem.erase("latency_budget_ms");
  problem["inference_jobs"] = 2;
  answer["plan"]["inference"] = Json::parse(
      R"([{"job": 2, "name": "camera", "expected_latency_ms": 70.5, "latency_budget_ms": 100},
          {"job": 3, "name": "radar", "expected_latency_ms": 300, "latency_budget_ms": 900}])");
  answer["choice"]["binding"]["constraint"] = "deadlines";
  answer["choice"]["binding"]["budget"] = 100;
  answer["choice"]["binding"]["needed"] = 104.5;
  answer["watch"]["latency"] = Json::parse(R"([{"job": 3, "requests": 300, "inside_budget": 0.99}])");
  EXPECT_THAT(
      render_explanation(answer),
      AllOf(HasSubstr("the most training beside inference at 60 requests/s of 2 jobs\n"),
            HasSubstr("batch size  4 for a batch of each inference job (of 1, 2, 4), 16 for training\n"),
            HasSubstr("latency     camera: 70.5 ms expected, budget 100 ms\n"
                      "            radar: 300.0 ms expected, budget 900 ms, 99.0 % of the last 300 inside\n"),
            HasSubstr("time before the inference jobs' deadlines: with 104.5 % instead of 100 %, training"),
            HasSubstr("BATCH  TRAINING  POWER")));
}

TEST(Explanation, OfTrainingAloneSaysNothingOfInference) {
  Json answer = concurrent();
  answer["problem"]["kind"] = "train";
  EXPECT_THAT(
      render_explanation(answer),
      AllOf(HasSubstr("goal        the most training\n"), HasSubstr("batch size  16 for training\n"),
            HasSubstr("WAY TO RUN   TRAINING  POWER"), Not(HasSubstr("latency")), Not(HasSubstr("window"))));
}

TEST(Explanation, OfInferenceAloneSpeaksOfLatency) {
  Json answer = concurrent();
  answer["problem"]["kind"] = "infer";
  EXPECT_THAT(render_explanation(answer),
              AllOf(HasSubstr("the least latency at 60 requests/s"), HasSubstr("latency 4.1 % shorter"),
                    HasSubstr("latency 2.7 % longer"), Not(HasSubstr("minibatches/s"))));
}

TEST(Explanation, ALatencyLimitIsInMilliseconds) {
  Json answer = concurrent();
  answer["choice"]["binding"]["constraint"] = "latency";
  answer["choice"]["binding"]["budget"] = 100;
  answer["choice"]["binding"]["needed"] = 104.5;
  EXPECT_THAT(render_explanation(answer),
              AllOf(HasSubstr("latency budget: with 104.5 ms instead of 100 ms, training"),
                    HasSubstr("\nwith 104.5 ms  4")));
}

TEST(Explanation, AnArrivalRateLimitIsALowerRate) {
  Json answer = concurrent();
  answer["choice"]["binding"]["constraint"] = "arrival_rate";
  answer["choice"]["binding"]["budget"] = 60;
  answer["choice"]["binding"]["needed"] = 55.559;
  EXPECT_THAT(render_explanation(answer), HasSubstr("arrival rate: at 55.55/s instead of 60/s, training"));
}

TEST(Explanation, WhatWouldDoIsNeverRoundedToTooLittle) {
  Json answer = concurrent();
  answer["choice"]["binding"]["needed"] = 30.001;
  EXPECT_THAT(render_explanation(answer), HasSubstr("with 30.01 W instead of 30 W"));
  EXPECT_THAT(render_explanation(infeasible()), HasSubstr("a power budget of 31.24 W"));
}

TEST(Explanation, NothingBetterIsSaid) {
  Json answer = concurrent();
  answer["choice"]["binding"] = nullptr;
  EXPECT_THAT(render_explanation(answer), HasSubstr("limit       none: nothing better is profiled\n"));
}

TEST(Explanation, NoRunnerUpIsSaid) {
  Json answer = concurrent();
  answer["choice"]["runner_up"] = nullptr;
  EXPECT_THAT(render_explanation(answer), HasSubstr("no other profiled mode keeps the budgets"));
}

TEST(Explanation, ARunnerUpThatIsAsGoodIsTheSame) {
  Json answer = concurrent();
  answer["choice"]["runner_up"]["gain_percent"] = -0.01;
  EXPECT_THAT(render_explanation(answer), HasSubstr("runner-up   training the same\n"));
}

TEST(Explanation, WithoutAPowerBudgetThatIsSaid) {
  Json answer = concurrent();
  answer["problem"]["power_budget_w"] = nullptr;
  EXPECT_THAT(render_explanation(answer), HasSubstr("29.4 W expected, no budget"));
}

TEST(Explanation, PowerThatIsNotAsProfiledIsSaid) {
  Json answer = concurrent();
  answer["watch"]["power_factor"] = 1.054;
  EXPECT_THAT(render_explanation(answer), HasSubstr("29.9 W drawn, 1.05 times what was profiled"));
}

TEST(Explanation, TellsHowTheLatestRequestsFared) {
  Json answer = concurrent();
  answer["watch"]["latency"] = {{{"job", 1}, {"requests", 312}, {"inside_budget", 0.997}}};
  EXPECT_THAT(render_explanation(answer), HasSubstr("budget 100 ms, 99.7 % of the last 312 inside\n"));
}

TEST(Explanation, AChosenModeThatIsNotYetSetIsShownBesideTheOneThatIs) {
  Json answer = concurrent();
  answer["plan"]["mode"] = mode(12, 1300);
  answer["plan"]["mode_name"] = "MAXN";
  EXPECT_THAT(render_explanation(answer), AllOf(HasSubstr("mode        MAXN (12 cores"),
                                                HasSubstr("chosen      8 cores, CPU 1728 MHz, GPU 918 MHz")));
}

TEST(Explanation, AProbeThatRunsIsShown) {
  Json answer = concurrent();
  answer["search"]["probing"] = {
      {"job", 2}, {"task", "training"}, {"mode", mode(4, 306)}, {"batch_size", 16}};
  EXPECT_THAT(render_explanation(answer),
              HasSubstr("probing     job 2: training batch 16 in 4 cores, CPU 1728 MHz"));
}

TEST(Explanation, AnInfeasibleProblemHasItsReasonAndTheNearestBudgets) {
  EXPECT_THAT(render_explanation(infeasible()),
              AllOf(HasSubstr("infeasible  no mode keeps both budgets\n"),
                    HasSubstr("would do    a power budget of 31.24 W: batch 4 in 12 cores"),
                    HasSubstr("or          a latency budget of 110.2 ms: batch 2 in 8 cores"),
                    HasSubstr("23 ways to run compared"), Not(HasSubstr("WAY TO RUN"))));
}

TEST(Explanation, WarningsOfThePlanAreToldWithTheirJobs) {
  Json answer = concurrent();
  answer["plan"]["inference"] = {{{"name", "camera"}, {"warning", "too late"}}};
  answer["plan"]["warning"] = "too hot";
  EXPECT_THAT(render_explanation(answer),
              AllOf(HasSubstr("warning     too hot\n"), HasSubstr("warning     camera: too late\n")));
}

TEST(Explanation, LongNotesAreBroken) {
  Json answer = concurrent();
  std::string note = "a note";
  while (note.size() < 200)
    note += " that goes on";
  answer["notes"] = {note};
  EXPECT_THAT(render_explanation(answer), HasSubstr("\n            that"));
}

TEST(Explanation, OfNothingSaysThatNothingIsPlanned) {
  const auto answer = Json::parse(
      R"({"plan": null, "search": null, "problem": null, "choice": null, "infeasible": null, "notes": [],
          "watch": {"power_w": null, "power_factor": 1.0}})");
  EXPECT_EQ(render_explanation(answer), "nothing is planned: no job has been measured and runs\n");
}

TEST(Explanation, AnswersWithOddPartsAreSurvivedAndCannotSteerTheTerminal) {
  for (const auto& answer : {concurrent(), infeasible()}) {
    test::for_each_odd(answer,
                       [](const Json& odd) { EXPECT_THAT(render_explanation(odd), Not(HasSubstr("\x1b"))); });
  }
}

}  // namespace
}  // namespace fulcrum::cli
