#include "eval/other_workloads.h"

#include <gtest/gtest.h>

#include "eval/evaluation.h"
#include "eval/summary.h"
#include "eval/sweep.h"
#include "powermode/board_catalogue.h"

namespace fulcrum::eval {
namespace {

using scheduler::ProblemKind;

constexpr std::size_t kProfiles = 10;

class OtherWorkloads : public ::testing::Test {
 protected:
  Bench bench(const std::string& workload) const {
    const auto table = source_->table(workload, WorkloadTask::inference).value();
    return make_bench(ProblemKind::infer, GridChoice::search, nullptr, &table).value();
  }

  // Every class in turn, left out or not.
  Summary summary(bool learn) const {
    const auto board = builtin_board_description("orin-nx").value();
    const auto base = scheduler::priors_of_board(board.id, board.power.idle_w, board.power.most_w);
    Evaluation evaluation;
    evaluation.strategies = {"rgs"};
    for (const auto& workload : source_->workloads(WorkloadTask::inference)) {
      Sweep sweep{bench(workload), {}, base};
      sweep.problems = problems_of(sweep.bench, {{6, 30, 4}, {60, 140, 80}, {30, 90, 60}});
      if (learn)
        sweep.priors =
            learned_priors(base, profiles_of_others(*source_, sweep.bench, kProfiles, 1).value(), {});
      evaluation.sweeps.push_back(std::move(sweep));
    }
    return summarize(evaluate(evaluation).value()).back();
  }

  std::unique_ptr<TableSource> source_ = SimulatedTables::of_board("orin-nx", false).value();
};

TEST_F(OtherWorkloads, AreAllButThoseOfTheBench) {
  const auto names = source_->workloads(WorkloadTask::inference);
  const auto others = profiles_of_others(*source_, bench(names.front()), kProfiles, 1).value();
  ASSERT_EQ(others.size(), names.size() - 1);
  EXPECT_EQ(others.front().size(), 2 * kProfiles) << "of training and of inference";
}

TEST_F(OtherWorkloads, SaveProbesOfOneThatIsLeftOut) {
  const auto base = summary(false);
  const auto learned = summary(true);
  EXPECT_LT(learned.mean_profiles, base.mean_profiles);
  EXPECT_LE(learned.mean_loss_pct, base.mean_loss_pct + .2);
  EXPECT_GE(learned.solved, base.solved);
}

}  // namespace
}  // namespace fulcrum::eval
