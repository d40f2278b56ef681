#include "eval/oracle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "eval/sweep.h"
#include "eval/table_source.h"
#include "scheduler/choice.h"
#include "small_tables.h"

namespace fulcrum::eval {
namespace {

using scheduler::Choice;
using scheduler::Policy;
using scheduler::Problem;
using scheduler::ProblemKind;

scheduler::ProfileSet everything(const Bench& bench) {
  scheduler::ProfileSet all;
  for (const auto* table : {&bench.training, &bench.inference}) {
    if (!*table) continue;
    for (const auto& row : (*table)->rows())
      EXPECT_TRUE(all.add(row));
  }
  return all;
}

bool agree(const Problem& problem, const Oracle& oracle, const scheduler::ProfileSet& all) {
  const auto best = oracle.best(problem);
  const auto chosen = choose(problem, all);
  const auto* choice = std::get_if<Choice>(&chosen);
  if (!best || choice == nullptr) return !best && choice == nullptr;
  return best->mode() == choice->mode && best->batch_size() == choice->batch_size &&
         best->power_w == choice->power_w && best->train_throughput_hz == choice->train_throughput_hz;
}

// Few distinct values, so that ties are common.
Table any_table(WorkloadTask task) {
  const Table shape = small_table("any", task);
  return shape.changed([](scheduler::Profile row) {
    row.p50_ms = row.p99_ms = *rc::gen::inRange(1, 12);
    row.power_w = *rc::gen::inRange(10, 20);
    return row;
  });
}

RC_GTEST_PROP(OracleProperty, FindsWhatTheChoiceIsWithEverythingProfiled, ()) {
  const auto kind = *rc::gen::element(ProblemKind::train, ProblemKind::infer, ProblemKind::concurrent);
  const Table training = any_table(WorkloadTask::training);
  const Table inference = any_table(WorkloadTask::inference);
  const Bench bench = make_bench(kind, GridChoice::full, kind != ProblemKind::infer ? &training : nullptr,
                                 kind != ProblemKind::train ? &inference : nullptr)
                          .value();
  const Oracle oracle(bench);
  const auto all = everything(bench);
  const auto policy = *rc::gen::element(Policy::managed, Policy::slack);
  for (const auto& problem : problems_of(bench, {{9, 21, 3}, {10, 60, 10}, {30, 130, 20}}, policy))
    RC_ASSERT(agree(problem, oracle, all));
}

TEST(Oracle, FindsTheOptimumOfSimulatedTables) {
  const auto source = SimulatedTables::of_board("agx-orin", false).value();
  const Table training = source->table("detector", WorkloadTask::training).value();
  const Table inference = source->table("light-cnn", WorkloadTask::inference).value();
  constexpr std::pair<ProblemKind, Policy> kScenarios[] = {{ProblemKind::train, Policy::managed},
                                                           {ProblemKind::infer, Policy::managed},
                                                           {ProblemKind::concurrent, Policy::managed},
                                                           {ProblemKind::concurrent, Policy::slack}};
  for (const auto& [kind, policy] : kScenarios) {
    const Bench bench = make_bench(kind, GridChoice::search, kind != ProblemKind::infer ? &training : nullptr,
                                   kind != ProblemKind::train ? &inference : nullptr)
                            .value();
    const auto all = everything(bench);
    const Oracle oracle(bench);
    const auto problems = problems_of(bench, default_budgets(kind), policy);
    for (const auto number : sampled(problems.size(), 12.0 / static_cast<double>(problems.size()), 1))
      EXPECT_TRUE(agree(problems[number], oracle, all)) << to_string(kind) << " " << number;
  }
}

}  // namespace
}  // namespace fulcrum::eval
