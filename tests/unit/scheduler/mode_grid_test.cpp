#include "scheduler/mode_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

BoardLevels agx_orin() {
  BoardLevels levels;
  for (int n = 1; n <= 12; ++n)
    levels.cpu_cores.push_back(n);
  for (std::int64_t khz = 115200; khz < 2201600; khz += 76800)
    levels.cpu_khz.push_back(khz);
  levels.cpu_khz.push_back(2201600);
  for (std::int64_t hz = 114750000; hz < 1300500000; hz += 102000000)
    levels.gpu_hz.push_back(hz);
  levels.gpu_hz.push_back(1300500000);
  levels.emc_hz = {204000000, 665600000, 2133000000, 3199000000};
  return levels;
}

TEST(ModeGrid, ThinsAnAgxOrinToTheEvaluationGrid) {
  const auto thin = thinned(ModeGrid::of_board(agx_orin()).value());
  const auto evaluation =
      grid_of({4, 8, 12}, {422400, 729600, 1036800, 1344000, 1651200, 1958400, 2201600},
              {114750000, 318750000, 522750000, 726750000, 930750000, 1134750000, 1300500000},
              {665600000, 2133000000, 3199000000});
  ASSERT_EQ(thin.size(), 441U);
  for (std::size_t i = 0; i < evaluation.size(); ++i)
    EXPECT_EQ(thin.mode(i), evaluation.mode(i));
}

TEST(ModeGrid, KeepsEveryLevelOfASmallBoard) {
  const auto grid = grid_of({1, 2, 3}, levels_up_to(7), {5, 6}, {9});
  EXPECT_EQ(thinned(grid).size(), grid.size());
}

TEST(ModeGrid, AlwaysKeepsTheHighestLevelsAndNoMoreThanAsked) {
  for (std::int64_t have = 1; have <= 40; ++have) {
    for (int want = 1; want <= 9; ++want) {
      const auto thin = thinned(grid_of({1}, levels_up_to(have), {1}, {1}), {3, want, 7, 3});
      const auto& kept = thin.levels(Dimension::cpu_khz);
      EXPECT_EQ(kept.back(), have);
      EXPECT_EQ(kept.size(),
                std::min<std::size_t>(static_cast<std::size_t>(want), static_cast<std::size_t>(have)));
    }
  }
}

TEST(ModeGrid, ListsEveryModeOnceInAscendingOrder) {
  const auto grid = grid_of({1, 4}, {10, 20, 30}, {5}, {7, 8});
  std::set<PowerMode> modes;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(grid.mode(i - 1), grid.mode(i));
    }
    EXPECT_TRUE(grid.contains(grid.mode(i)));
    modes.insert(grid.mode(i));
  }
  EXPECT_EQ(modes.size(), 12U);
  EXPECT_EQ(*modes.rbegin(), grid.highest());
}

TEST(ModeGrid, DoesNotContainAModeBetweenItsLevels) {
  EXPECT_FALSE(grid_of({1, 4}, {10, 20}, {5}, {7}).contains({2, 10, 5, 7}));
  EXPECT_FALSE(ModeGrid().contains({2, 10, 5, 7}));
}

TEST(ModeGrid, RefusesLevelsThatAreMissingNotPositiveOrNotAscending) {
  EXPECT_FALSE(ModeGrid::make({{{}, {1}, {1}, {1}}}));
  EXPECT_FALSE(ModeGrid::make({{{0, 1}, {1}, {1}, {1}}}));
  EXPECT_FALSE(ModeGrid::make({{{1}, {1}, {2, 1}, {1}}}));
  const auto twice = ModeGrid::make({{{1}, {1}, {1}, {3, 3}}});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("emc_hz"), std::string::npos);
}

}  // namespace
}  // namespace fulcrum::scheduler
