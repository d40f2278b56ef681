#include "scheduler/jobs_together.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "any_world.h"
#include "scheduler/candidate.h"
#include "scheduler/demand_bound.h"

namespace fulcrum::scheduler {
namespace {

using testing::ElementsAre;

constexpr auto kServing = WorkloadTask::inference;

Profile inference(int batch, double ms, double power_w = 10) {
  return {kServing, clocked(1), batch, ms, ms, power_w};
}

Problem described(const JobsTogether& jobs) {
  Problem problem;
  problem.kind = ProblemKind::concurrent;
  problem.grid = grid_of({1}, {1}, {1}, {1});
  jobs.describe(problem);
  return problem;
}

// ---- batches ----

TEST(JobsTogetherBatches, GrowWhereTheSmallestPartOfABudgetIsNeeded) {
  // Of its 200 ms the first needs 20, 80; of its 1,000 the second 100, 200, 800.
  const JobsTogether jobs({{50, 200, {1, 4}, {}}, {10, 1000, {1, 2, 8}, {}}});
  const auto problem = described(jobs);
  EXPECT_THAT(problem.inference_batch_sizes, ElementsAre(2, 3, 6, 12));
  EXPECT_THAT(jobs.sizes_of(2), ElementsAre(1, 1));
  EXPECT_THAT(jobs.sizes_of(3), ElementsAre(1, 2));
  EXPECT_THAT(jobs.sizes_of(6), ElementsAre(4, 2));
  EXPECT_THAT(jobs.sizes_of(12), ElementsAre(4, 8));
}

TEST(JobsTogetherBatches, AreThoseThatCanBeCollectedInTime) {
  const JobsTogether jobs({{50, 200, {1, 4, 10, 16}, {}}, {10, 1000, {1, 8, 16}, {}}});
  EXPECT_THAT(described(jobs).inference_batch_sizes, ElementsAre(2, 5, 12));
}

TEST(JobsTogetherBatches, AreFewAndTheEndsAreAmongThem) {
  const std::vector<int> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto problem = described(JobsTogether({{50, 400, sizes, {}}, {30, 500, sizes, {}}}));
  EXPECT_EQ(problem.inference_batch_sizes.size(), 8u);
  EXPECT_EQ(problem.inference_batch_sizes.front(), 2);
  EXPECT_EQ(problem.inference_batch_sizes.back(), 20);
}

TEST(JobsTogetherBatches, OfABudgetThatIsTooSmallThereIsNone) {
  const JobsTogether jobs({{50, 200, {1, 4}, {}}, {10, 100, {1, 2}, {}}});
  EXPECT_THAT(described(jobs).inference_batch_sizes, ElementsAre(2, 5)) << "to be served all the same";
  EXPECT_THAT(possible_batch_sizes(described(jobs)), testing::IsEmpty());
}

// ---- what they take ----

TEST(JobsTogetherProfile, HasTheDemandInItsWindow) {
  const JobsTogether jobs({{50, 200, {1, 4}, {}}, {10, 1000, {1}, {}}});
  // 4 of one in 80 ms and 1 of the other in 100: 5 of both in 5 / 60 s.
  const auto all = jobs.together(5, {inference(4, 16, 10), inference(1, 30, 12)});
  EXPECT_EQ(all.batch_size, 5);
  EXPECT_DOUBLE_EQ(all.p99_ms, 5000.0 / 60 * (16.0 / 80 + 30.0 / 100));
  EXPECT_EQ(all.power_w, 12);
  ASSERT_TRUE(all.together);
  EXPECT_EQ(all.together->one_of_each_ms, 46);
  // 120 ms after its batch is full the first is due, and 30 of the other may just have begun.
  EXPECT_NEAR(all.together->due_ms, 5000.0 / 60 * .5, 1e-9) << "the demand is more than 46 / 120";
}

TEST(JobsTogetherProfile, IsThereWhereEveryJobHasBeenMeasured) {
  ProfileSet first;
  ProfileSet second;
  ASSERT_TRUE(first.add(inference(1, 5)) && first.add(inference(4, 16)) && second.add(inference(1, 30)));
  const JobsTogether jobs({{50, 200, {1, 4}, first}, {10, 1000, {1, 2}, second}});
  const auto all = jobs.profiles();
  EXPECT_EQ(all.size(), 1u);
  EXPECT_NE(all.find(kServing, clocked(1), 2), nullptr);
}

TEST(JobsTogetherProfile, HasBeenMeasuredAsOftenAsTheJobThatWasLeast) {
  const JobsTogether jobs({{50, 200, {1}, {}}, {10, 1000, {1}, {}}});
  auto often = inference(1, 5);
  often.measurements = 3;
  EXPECT_EQ(jobs.together(2, {often, inference(1, 30)}).measurements, 1);
}

TEST(JobsTogetherProfile, ATrainingMinibatchMustFitBetweenABatchOfEach) {
  const JobsTogether jobs({{10, 150, {1}, {}}, {10, 1000, {1}, {}}}, 5);
  const auto all = jobs.together(2, {inference(1, 10), inference(1, 20)});
  const auto problem = described(jobs);
  const auto throughput = [&](double training_ms) {
    const Profile training{WorkloadTask::training, clocked(1), 16, training_ms, training_ms, 10};
    return make_candidate(problem, &training, &all).train_throughput_hz;
  };
  EXPECT_EQ(throughput(70), 10) << "one in a window of 100 ms";
  EXPECT_EQ(throughput(34), 20);
  // At most 150 - 5 - 30 ms: with the second twice as seldom that would fit into the window, but not the gap.
  const JobsTogether seldom({{10, 150, {1}, {}}, {1, 1500, {1}, {}}}, 5);
  auto wide = described(seldom);
  const auto less = seldom.together(2, {inference(1, 10), inference(1, 20)});
  const Profile fits{WorkloadTask::training, clocked(1), 16, 115, 115, 10};
  const Profile too_long{WorkloadTask::training, clocked(1), 16, 116, 116, 10};
  EXPECT_GT(make_candidate(wide, &fits, &less).train_throughput_hz, 0);
  EXPECT_EQ(make_candidate(wide, &too_long, &less).train_throughput_hz, 0);
  wide.policy = Policy::slack;
  EXPECT_NEAR(make_candidate(wide, &fits, &less).train_throughput_hz, (1 - .1 - .02) * 1000 / 115, 1e-9);
  EXPECT_EQ(make_candidate(wide, &too_long, &less).train_throughput_hz, 0);
}

TEST(JobsTogetherProblem, TravelsBetweenProcesses) {
  const JobsTogether jobs({{50, 200, {1, 4}, {}}, {10, 1000, {1}, {}}});
  const auto problem = described(jobs);
  const auto read = Problem::from_json(problem.to_json());
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->to_json(), problem.to_json());
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add(jobs.together(5, {inference(4, 16), inference(1, 30)})));
  EXPECT_EQ(ProfileSet::from_json(profiles.to_json()).value().to_json(), profiles.to_json());
}

// ---- searches ----

// Jobs on a generated board, each with its own times and powers, beside training.
struct SeveralWorld {
  World world;  // with the board's training
  std::vector<UrgentJob> jobs;

  Measure measure(const PowerMode& mode, int batch) const { return {kServing, mode, batch}; }
  MadeUpBoard::Step step(std::size_t job, const PowerMode& mode, int batch) const {
    // Each job at another place of the same generated board, and lighter: they share the device.
    auto found = world.board.step(kServing, mode, batch + 100 * static_cast<int>(job));
    found.time_ms = found.time_ms * (1 + batch) / (1 + batch + 100 * static_cast<double>(job)) / 4;
    return found;
  }
};

SeveralWorld any_several() {
  SeveralWorld several;
  several.world = any_world();
  several.world.problem.kind = *rc::gen::element(ProblemKind::infer, ProblemKind::concurrent);
  const int jobs = *rc::gen::inRange(2, 4);
  for (int j = 0; j < jobs; ++j) {
    several.jobs.push_back(
        {1.0 * *rc::gen::inRange(2, 60), 1.0 * *rc::gen::inRange(60, 900), {1, 4, 16}, {}});
  }
  return several;
}

struct SeveralRun {
  SearchRun run;
  std::map<std::pair<PowerMode, int>, std::vector<int>> sizes;  // asked for
};

SeveralRun search_several(const std::string& strategy, const SeveralWorld& several) {
  const JobsTogether together(several.jobs);
  Problem problem = several.world.problem;
  together.describe(problem);
  MadeUpBoard board{[&](WorkloadTask task, const PowerMode& mode, int batch) {
    return several.world.board.step(task, mode, batch);
  }};
  SeveralRun result;
  auto& run = result.run;
  while (run.probes.size() < kFarTooManyProbes) {
    run.end = make_strategy(strategy).value()->next(problem, run.profiles);
    const auto* probe = std::get_if<Measure>(&run.end);
    if (probe == nullptr) break;
    run.probes.push_back(*probe);
    if (probe->task == WorkloadTask::training) {
      RC_ASSERT(run.profiles.add(board.measure(*probe)).has_value());
      continue;
    }
    const auto& sizes = together.sizes_of(probe->batch_size);
    std::vector<Profile> of_jobs;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const auto step = several.step(j, probe->mode, sizes[j]);
      of_jobs.push_back({kServing, probe->mode, sizes[j], step.time_ms, step.time_ms, step.power_w});
    }
    result.sizes[{probe->mode, probe->batch_size}] = sizes;
    RC_ASSERT(run.profiles.add(together.together(probe->batch_size, of_jobs)).has_value());
  }
  return result;
}

// By the demand bound, and the formulas of the header written out.
struct TruthTogether {
  bool keeps = false;
  double throughput_hz = 0;
  double latency_ms = 0;
};

TruthTogether truth_of(const SeveralWorld& several, const PowerMode& mode, const std::vector<int>& sizes) {
  const auto& problem = several.world.problem;
  TruthTogether truth;
  std::vector<UrgentTask> tasks;
  double all = 0, rate = 0, one_of_each = 0, power = 0, tightest = 1e9;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const auto& job = several.jobs[j];
    const auto step = several.step(j, mode, sizes[j]);
    const double w = 1000.0 * sizes[j] / job.arrival_rate_hz;
    tasks.push_back({w, step.time_ms, job.latency_budget_ms - w});
    all += sizes[j];
    rate += job.arrival_rate_hz;
    one_of_each += step.time_ms;
    power = std::max(power, step.power_w);
    tightest = std::min(tightest, job.latency_budget_ms);
  }
  const auto bound = demand_bound(tasks);
  const double window = 1000 * all / rate;
  truth.latency_ms = window * (1 + bound.demand);
  if (problem.kind == ProblemKind::concurrent) {
    const auto training = several.world.board.step(WorkloadTask::training, mode, 16);
    power = std::max(power, training.power_w);
    if (training.time_ms <= tightest - one_of_each) {
      truth.throughput_hz = std::floor(window * (1 - bound.demand) / training.time_ms + 1e-9) * 1000 / window;
    }
  }
  truth.keeps = bound.demand <= 1 && *std::max_element(bound.worst.begin(), bound.worst.end()) <= 1 &&
                (!problem.power_budget_w || power <= *problem.power_budget_w);
  return truth;
}

RC_GTEST_PROP(JobsTogetherSearch, OfEverythingTheBestIsFoundThatKeepsEveryDeadline, ()) {
  const auto several = any_several();
  const auto found = search_several("exhaustive", several);
  std::optional<double> best;
  for (const auto& [way, sizes] : found.sizes) {
    const auto truth = truth_of(several, way.first, sizes);
    if (!truth.keeps) continue;
    const double value =
        several.world.problem.kind == ProblemKind::infer ? -truth.latency_ms : truth.throughput_hz;
    best = std::max(best.value_or(value), value);
  }
  RC_TAG(to_string(several.world.problem.kind), best.has_value());
  RC_ASSERT(best.has_value() == (found.run.choice() != nullptr));
  if (best) RC_ASSERT(std::abs(value_of(several.world.problem, *found.run.choice()) - *best) < 1e-6);
}

RC_GTEST_PROP(JobsTogetherSearch, EveryStrategyAnswersWhatKeepsEveryDeadline, ()) {
  const auto several = any_several();
  for (const char* strategy : {"gmd", "rgs", "bs", "rnd-20", "maxn"}) {
    const auto found = search_several(strategy, several);
    const auto* choice = found.run.choice();
    RC_TAG(strategy, choice != nullptr);
    if (choice == nullptr) {
      RC_ASSERT(found.run.infeasible() != nullptr);
      continue;
    }
    const auto truth = truth_of(several, choice->mode, found.sizes.at({choice->mode, choice->batch_size}));
    RC_ASSERT(truth.keeps);
    if (several.world.problem.kind == ProblemKind::concurrent)
      RC_ASSERT(std::abs(choice->train_throughput_hz - truth.throughput_hz) < 1e-6);
  }
}

}  // namespace
}  // namespace fulcrum::scheduler
