#include "daemon/stage.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <variant>
#include <vector>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum::daemon {
namespace {

using Kind = SimulatedFault::Kind;
namespace node = test::node;

constexpr PowerMode kHere{12, 2201600, 1300500000, 3199000000};
constexpr PowerMode kThere{4, 1113600, 420750000, 2133000000};

worker::SetPlan plan_for(std::optional<PowerMode> mode) {
  worker::SetPlan setting;
  setting.plan.mode = mode;
  setting.probe = worker::ProbeOrder{7, 16, 20};
  return setting;
}

class StageTest : public testing::Test {
 protected:
  StageTest() {
    DaemonConfig config;
    config.board = "simulated:agx-orin";
    config.state_dir = simulated_.state_dir();
    config.simulated_state = simulated_.state_path();
    auto board = BoardKeeper::open(config, simulated_.clock, make_null_logger());
    if (!board) throw std::runtime_error(board.error().to_string());
    board_ = std::move(*board);
    if (auto taken = board_->take(kHere); !taken) throw std::runtime_error(taken.error().to_string());
    stage_.emplace(*board_, simulated_.clock,
                   [this](const worker::ToWorker& message) { sent_.push_back(message); });
  }

  void set(std::optional<PowerMode> mode) {
    stage_->set(plan_for(mode), [this](const Expected<void>& how) { done_.push_back(how); });
  }
  bool was_hold(std::size_t n) const { return std::holds_alternative<worker::Hold>(sent_.at(n)); }
  std::optional<PowerMode> planned(std::size_t n) const {
    return std::get<worker::SetPlan>(sent_.at(n)).plan.mode;
  }
  PowerMode board_mode() const { return board_->board().read_mode().value(); }

  const test::SimulatedBoard simulated_;
  std::unique_ptr<BoardKeeper> board_;
  std::optional<Stage> stage_;
  std::vector<worker::ToWorker> sent_;
  std::vector<Expected<void>> done_;
};

TEST_F(StageTest, TheWorkerIsToldToHoldFirst) {
  set(kThere);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_TRUE(was_hold(0));
  EXPECT_TRUE(stage_->busy());
}

TEST_F(StageTest, TheBoardIsLeftAloneUntilTheWorkerHolds) {
  set(kThere);
  EXPECT_EQ(board_mode(), kHere);
  EXPECT_TRUE(done_.empty());
}

TEST_F(StageTest, TheModeIsSetOnceTheWorkerHolds) {
  set(kThere);
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kThere);
  EXPECT_EQ(board_->mode(), kThere);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0]);
  EXPECT_FALSE(stage_->busy());
}

TEST_F(StageTest, ThePlanFollowsTheMode) {
  set(kThere);
  stage_->worker_holds();
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(planned(1), kThere);
  EXPECT_EQ(std::get<worker::SetPlan>(sent_[1]).probe->job, 7) << "as it was given";
}

TEST_F(StageTest, ThePlanIsSentBeforeItIsDone) {
  stage_->set(plan_for(kThere), [this](const Expected<void>&) { EXPECT_EQ(planned(1), kThere); });
  stage_->worker_holds();
}

TEST_F(StageTest, InTheModeAlreadyThePlanIsSentAtOnce) {
  set(kHere);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(planned(0), kHere);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0]);
  EXPECT_FALSE(stage_->busy());
}

TEST_F(StageTest, APlanWithoutAModeIsSentAtOnce) {
  set(std::nullopt);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(planned(0), std::nullopt);
  EXPECT_TRUE(done_.at(0));
}

TEST_F(StageTest, AModeThatIsNotTrustedIsSetAnew) {
  ASSERT_TRUE(simulated_.set(node::gpu_max, "420750000"));
  board_->distrust_mode();
  set(kHere);
  EXPECT_TRUE(was_hold(0));
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kHere);
}

TEST_F(StageTest, AKnobThatCannotBeWrittenIsToldAndNoPlanIsSent) {
  set(kThere);
  simulated_.fault(node::gpu_max, Kind::write_error, "EIO");
  stage_->worker_holds();
  EXPECT_EQ(sent_.size(), 1u) << "the hold alone";
  ASSERT_EQ(done_.size(), 1u);
  ASSERT_FALSE(done_[0]);
  EXPECT_TRUE(test::contains(done_[0].error().to_string(), node::gpu_max)) << done_[0].error().to_string();
  EXPECT_FALSE(stage_->busy());
}

TEST_F(StageTest, AKnobThatDoesNotTakeItsValueIsToldAndNoPlanIsSent) {
  set(kThere);
  simulated_.fault(node::gpu_max, Kind::ignore_write);
  stage_->worker_holds();
  EXPECT_EQ(sent_.size(), 1u);
  EXPECT_FALSE(done_.at(0));
}

TEST_F(StageTest, AfterAFailureTheBoardIsAsItWas) {
  set(kThere);
  simulated_.fault(node::gpu_max, Kind::write_error, "EIO", 1);
  stage_->worker_holds();
  EXPECT_FALSE(done_.at(0));
  EXPECT_EQ(board_mode(), kHere);
}

TEST_F(StageTest, AfterAFailureNoModeIsTakenForGranted) {
  set(kThere);
  simulated_.fault(node::gpu_max, Kind::write_error, "EIO", 1);
  stage_->worker_holds();
  set(kHere);
  EXPECT_TRUE(was_hold(1));
  stage_->worker_holds();
  EXPECT_TRUE(done_.at(1));
  EXPECT_EQ(planned(2), kHere);
}

TEST_F(StageTest, TheNextCanBeSetAsSoonAsOneIsDone) {
  stage_->set(plan_for(kThere), [this](const Expected<void>&) { set(kHere); });
  stage_->worker_holds();
  EXPECT_TRUE(stage_->busy());
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_TRUE(was_hold(2));
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kHere);
}

TEST_F(StageTest, AHoldThatNothingWaitsForChangesNothing) {
  stage_->worker_holds();
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(board_mode(), kHere);
}

TEST_F(StageTest, WhatIsAbandonedIsNotMadeAndNotTold) {
  set(kThere);
  stage_->abandon();
  EXPECT_FALSE(stage_->busy());
  stage_->worker_holds();
  EXPECT_EQ(sent_.size(), 1u);
  EXPECT_TRUE(done_.empty());
  EXPECT_EQ(board_mode(), kHere);
}

TEST_F(StageTest, TheAnswerToAnAbandonedHoldIsNotTakenForTheNext) {
  set(kThere);
  stage_->abandon();
  set(kThere);
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kHere) << "a slice may run: a plan came after that hold";
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kThere);
}

TEST_F(StageTest, ANewWorkerAnswersForItself) {
  set(kThere);
  stage_->worker_down();
  set(kThere);
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), kThere);
}

// The last job may end between the hold and its answer.
TEST_F(StageTest, ABoardThatIsGivenBackMeanwhileIsLeftAlone) {
  set(kThere);
  board_->give_back();
  const PowerMode given_back = board_mode();
  stage_->worker_holds();
  EXPECT_EQ(board_mode(), given_back);
  EXPECT_EQ(sent_.size(), 1u);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0]);
}

}  // namespace
}  // namespace fulcrum::daemon
