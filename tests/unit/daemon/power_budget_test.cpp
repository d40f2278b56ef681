#include "daemon/power_budget.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_dir.h"

namespace fulcrum::daemon {
namespace {

class PowerBudgetTest : public testing::Test {
 protected:
  PowerBudget open(std::optional<double> configured_w = 30) const {
    auto budget = PowerBudget::open(path_, configured_w);
    if (!budget) throw std::runtime_error(budget.error().to_string());
    return *std::move(budget);
  }

  test::TempDir dir_;
  std::string path_ = dir_ / "budget.json";
};

TEST_F(PowerBudgetTest, IsAsConfiguredUntilAnotherIsSet) {
  EXPECT_EQ(open(30).power_w(), 30);
  EXPECT_EQ(open(std::nullopt).power_w(), std::nullopt);
}

TEST_F(PowerBudgetTest, WhatIsSetStandsAboveTheConfiguration) {
  auto budget = open(30);
  ASSERT_TRUE(budget.set(22.5));
  EXPECT_EQ(budget.power_w(), 22.5);
}

TEST_F(PowerBudgetTest, WhatWasSetOutlivesTheDaemon) {
  ASSERT_TRUE(open(30).set(22.5));
  EXPECT_EQ(open(40).power_w(), 22.5);
}

TEST_F(PowerBudgetTest, NoBudgetCanBeSetAsWell) {
  auto budget = open(30);
  ASSERT_TRUE(budget.set(std::nullopt));
  EXPECT_EQ(budget.power_w(), std::nullopt);
  EXPECT_EQ(open(30).power_w(), std::nullopt) << "and outlives the daemon";
}

TEST_F(PowerBudgetTest, ResetReturnsToTheConfiguration) {
  auto budget = open(30);
  ASSERT_TRUE(budget.set(22.5));
  ASSERT_TRUE(budget.reset());
  EXPECT_EQ(budget.power_w(), 30);
  EXPECT_EQ(open(40).power_w(), 40) << "nothing is left of what was set";
}

TEST_F(PowerBudgetTest, ResettingWhatWasNeverSetIsNoError) {
  auto budget = open(30);
  EXPECT_TRUE(budget.reset());
  EXPECT_EQ(budget.power_w(), 30);
}

TEST_F(PowerBudgetTest, WhatCannotBeStoredIsNotInForce) {
  auto budget = PowerBudget::open(dir_ / "gone/budget.json", 30);
  ASSERT_TRUE(budget);
  EXPECT_FALSE(budget->set(22.5));
  EXPECT_EQ(budget->power_w(), 30);
}

TEST_F(PowerBudgetTest, WhatCannotBeRemovedStaysInForce) {
  auto budget = open(30);
  ASSERT_TRUE(budget.set(22.5));
  std::filesystem::remove(path_);
  std::filesystem::create_directories(path_ + "/in-the-way");
  EXPECT_FALSE(budget.reset());
  EXPECT_EQ(budget.power_w(), 22.5);
}

TEST_F(PowerBudgetTest, TellsWhereItComesFrom) {
  auto budget = open(30);
  EXPECT_EQ(budget.to_json(), Json({{"power_w", 30}, {"source", "config"}, {"config_power_w", 30}}));
  ASSERT_TRUE(budget.set(22.5));
  EXPECT_EQ(budget.to_json(), Json({{"power_w", 22.5}, {"source", "set"}, {"config_power_w", 30}}));
  ASSERT_TRUE(budget.set(std::nullopt));
  EXPECT_EQ(budget.to_json(), Json({{"power_w", nullptr}, {"source", "set"}, {"config_power_w", 30}}));
}

TEST_F(PowerBudgetTest, TellsThatThereIsNone) {
  EXPECT_EQ(open(std::nullopt).to_json(),
            Json({{"power_w", nullptr}, {"source", "none"}, {"config_power_w", nullptr}}));
}

TEST_F(PowerBudgetTest, AFileThatIsNoBudgetIsCorruptAndLeftAsItIs) {
  for (const char* text :
       {"", "22.5", "null", "[]", "{}", "{\"power_w\": \"22\"}", "{\"power_w\": 0}", "{\"power_w\": -5}",
        "{\"power_w\": true}", "{\"power_w\": 1e999}", "{\"power_w\": 22.5", "{\"power\": 22.5}"}) {
    test::spill(path_, text);
    const auto budget = PowerBudget::open(path_, 30);
    ASSERT_FALSE(budget) << text;
    EXPECT_EQ(budget.error().code, ErrorCode::corrupt) << text;
    EXPECT_EQ(test::slurp(path_), text);
  }
}

TEST_F(PowerBudgetTest, TheErrorNamesTheFileAndWhatToDo) {
  test::spill(path_, "{}");
  const auto error = PowerBudget::open(path_, 30).error();
  EXPECT_NE(error.message.find(path_), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("remove it"), std::string::npos) << error.hint;
}

TEST_F(PowerBudgetTest, AFileThatIsFarTooLargeIsRefusedByName) {
  test::spill(path_, "{\"power_w\": 22.5}" + std::string(1 << 20, ' '));
  const auto budget = PowerBudget::open(path_, 30);
  ASSERT_FALSE(budget);
  EXPECT_NE(budget.error().to_string().find(path_), std::string::npos) << budget.error().to_string();
}

}  // namespace
}  // namespace fulcrum::daemon
