#include "eval/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "small_tables.h"

namespace fulcrum::eval {
namespace {

using scheduler::ProblemKind;
using ::testing::ElementsAre;

TEST(Ranges, AreFirstLastAndStep) {
  EXPECT_THAT(Range::parse("10:14:2")->values(), ElementsAre(10, 12, 14));
  EXPECT_THAT(Range::parse("10:14:3")->values(), ElementsAre(10, 13));
  EXPECT_THAT(Range::parse("17.5")->values(), ElementsAre(17.5));
}

TEST(Ranges, ReachTheirEndInSpiteOfRounding) {
  EXPECT_EQ(Range::parse("0.1:1:0.1")->values().size(), 10U);
}

TEST(Ranges, ThatMakeNoSenseAreRefused) {
  for (const auto* text :
       {"", "10:20", "20:10:1", "10:20:0", "10:20:-1", "0:10:1", "a", "10:20:1:1", "1:1e9:1", "nan"})
    EXPECT_FALSE(Range::parse(text)) << text;
}

TEST(Sweeps, HaveTheProblemsOfThePaper) {
  EXPECT_EQ(problems_of(small_bench(ProblemKind::train), default_budgets(ProblemKind::train)).size(), 41U);
  EXPECT_EQ(problems_of(small_bench(ProblemKind::infer), default_budgets(ProblemKind::infer)).size(),
            41U * 11 * 13);
  EXPECT_EQ(
      problems_of(small_bench(ProblemKind::concurrent), default_budgets(ProblemKind::concurrent)).size(),
      41U * 16 * 10);
}

TEST(Sweeps, AskForTheBatchSizesOfTheTables) {
  const auto problem = small_sweep(ProblemKind::concurrent).problems.front();
  EXPECT_EQ(problem.training_batch_size, 16);
  EXPECT_THAT(problem.inference_batch_sizes, ElementsAre(1, 4));
  EXPECT_TRUE(check(problem));
}

TEST(Samples, AreAPartThatTheSeedDraws) {
  const auto some = sampled(1000, .1, 1);
  EXPECT_EQ(some.size(), 100U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
  EXPECT_EQ(sampled(1000, .1, 1), some);
  EXPECT_NE(sampled(1000, .1, 2), some);
  EXPECT_EQ(sampled(10, .001, 1).size(), 1U);
  EXPECT_EQ(sampled(10, 1, 1).size(), 10U);
}

}  // namespace
}  // namespace fulcrum::eval
