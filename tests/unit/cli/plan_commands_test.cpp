// fulcrumctl plan and budget.

#include "tests/unit/cli/scripted_program.h"

namespace fulcrum::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using PlanCommand = ScriptedProgramTest;
using BudgetCommand = ScriptedProgramTest;

const Json kOf22W{{"power_w", 22}, {"source", "set"}, {"config_power_w", 30}};

TEST_F(PlanCommand, WithoutAWordAsksForThePlan) {
  answers({{"plan", nullptr}});
  EXPECT_EQ(run({"plan"}), 0);
  EXPECT_EQ(method(), "plan.get");
}

TEST_F(PlanCommand, ExplainAsksForTheExplanation) {
  answers({{"plan", {{"policy", "managed"}}}, {"problem", {{"kind", "train"}}}});
  EXPECT_EQ(run({"plan", "--explain"}), 0);
  EXPECT_EQ(method(), "plan.explain");
  EXPECT_EQ(params(), Json::object());
  EXPECT_THAT(out_, HasSubstr("the most training"));
}

TEST_F(PlanCommand, ExplainAsJsonIsWhatTheDaemonSaid) {
  const Json answer{{"plan", nullptr}, {"notes", {"a"}}};
  answers(answer);
  EXPECT_EQ(run({"plan", "--explain", "--json"}), 0);
  EXPECT_EQ(Json::parse(out_), answer);
}

TEST_F(BudgetCommand, WithoutAWordShowsIt) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget"}), 0);
  EXPECT_EQ(method(), "budget.get");
  EXPECT_EQ(out_, "power budget  22 W (set; the configuration has 30 W)\n");
}

TEST_F(BudgetCommand, GetShowsIt) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget", "get"}), 0);
  EXPECT_EQ(method(), "budget.get");
}

TEST_F(BudgetCommand, SetSendsWatts) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget", "set", "22.5"}), 0);
  EXPECT_EQ(method(), "budget.set");
  EXPECT_EQ(params(), (Json{{"power_w", 22.5}}));
  EXPECT_THAT(out_, StartsWith("power budget"));
}

TEST_F(BudgetCommand, SetNoneSendsNull) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget", "set", "none"}), 0);
  EXPECT_EQ(params(), (Json{{"power_w", nullptr}}));
}

TEST_F(BudgetCommand, ResetSendsNothing) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget", "reset"}), 0);
  EXPECT_EQ(method(), "budget.reset");
  EXPECT_EQ(params(), Json::object());
}

TEST_F(BudgetCommand, AsJsonIsWhatTheDaemonSaid) {
  answers(kOf22W);
  EXPECT_EQ(run({"budget", "--json"}), 0);
  EXPECT_EQ(Json::parse(out_), kOf22W);
}

TEST_F(BudgetCommand, ARefusalIsOne) {
  refuses({{{"field", "/params/power_w"}, {"message", "must be above 0"}}});
  EXPECT_EQ(run({"budget", "set", "1"}), 1);
  EXPECT_THAT(err_, HasSubstr("must be above 0"));
}

TEST_F(BudgetCommand, WhatIsNoPositivePlainNumberIsWrongUsage) {
  for (const char* watts : {"0", "-5", "22W", "1e3", "inf", "nan", "0x10", "+3", "", " 3", "many"}) {
    EXPECT_EQ(run({"budget", "set", watts}), 2) << watts;
    EXPECT_EQ(requests(), 0u) << watts;
  }
}

TEST_F(BudgetCommand, WrongUsageSaysWhatIsRight) {
  EXPECT_EQ(run({"budget", "set", "22W"}), 2);
  EXPECT_THAT(err_, HasSubstr("'22W' is no power budget: it must be a positive number of watts, or 'none'"));
}

TEST_F(BudgetCommand, OtherWordsAreWrongUsage) {
  EXPECT_EQ(run({"budget", "set"}), 2);
  EXPECT_EQ(run({"budget", "list"}), 2);
  EXPECT_EQ(run({"budget", "get", "reset"}), 2);
}

}  // namespace
}  // namespace fulcrum::cli
