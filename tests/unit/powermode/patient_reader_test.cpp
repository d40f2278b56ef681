#include "powermode/patient_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using powermode::PatientReader;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace node = test::node;

class PatientReaderTest : public testing::Test {
 protected:
  // A thread that was left behind keeps its tree, whose clock is the test's.
  void TearDown() override {
    EXPECT_TRUE(simulated_.tree->clear_faults());
    reader_.reset();
    for (auto& gone : trees_gone_)
      gone.wait();
  }

  std::shared_ptr<FileTree> open_tree() {
    auto gone = std::make_shared<std::promise<void>>();
    trees_gone_.push_back(gone->get_future());
    return {simulated_.open_tree().release(), [gone](FileTree* tree) {
              delete tree;
              gone->set_value();
            }};
  }

  const std::string zone_ = "/sys/class/thermal/thermal_zone1/temp";
  const test::SimulatedBoard simulated_;
  std::vector<std::future<void>> trees_gone_;
  std::unique_ptr<PatientReader> reader_ = std::make_unique<PatientReader>(open_tree(), 50ms, 0ms);
};

TEST_F(PatientReaderTest, ReadsInOrder) {
  const auto answers = reader_->read({zone_, node::gpu_max, "/no/such/node", zone_});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].value(), "43000\n");
  EXPECT_EQ(answers[1].value(), "1300500000\n");
  EXPECT_EQ(answers[2].error().code, ErrorCode::not_found);
  EXPECT_EQ(answers[3].value(), "43000\n");
  EXPECT_TRUE(reader_->read({}).empty());
}

TEST_F(PatientReaderTest, ANodeThatDoesNotAnswerIsUnavailableAndTheOthersAreRead) {
  simulated_.fault(zone_, Kind::block);
  const auto answers = reader_->read({node::gpu_max, zone_, node::gpu_min});
  EXPECT_EQ(answers[0].value(), "1300500000\n");
  ASSERT_FALSE(answers[1]);
  EXPECT_EQ(answers[1].error().code, ErrorCode::unavailable);
  EXPECT_THAT(answers[1].error().to_string(), HasSubstr(zone_));
  EXPECT_EQ(answers[2].value(), "114750000\n");
}

TEST_F(PatientReaderTest, ItIsNotAskedAgainUntilItHasAnswered) {
  simulated_.fault(zone_, Kind::block);
  EXPECT_THAT(reader_->read({zone_}).front().error().to_string(), HasSubstr("does not answer within 50 ms"));
  EXPECT_THAT(reader_->read({zone_}).front().error().to_string(), HasSubstr("has not answered yet"));
  ASSERT_TRUE(simulated_.tree->clear_faults());
  auto answer = reader_->read({zone_}).front();
  while (!answer)
    answer = reader_->read({zone_}).front();
  EXPECT_EQ(*answer, "43000\n");
}

// A driver that blocks for a second each time must not do so each time.
TEST_F(PatientReaderTest, ItIsLeftAloneForAWhileThoughItHasAnswered) {
  PatientReader wary(open_tree(), 10ms, 1h);
  simulated_.fault(zone_, Kind::block);
  EXPECT_FALSE(wary.read({zone_}).front());
  ASSERT_TRUE(simulated_.tree->clear_faults());
  EXPECT_EQ(wary.read({zone_, node::gpu_max}).back().value(), "1300500000\n");
  EXPECT_FALSE(wary.read({zone_}).front());
}

TEST_F(PatientReaderTest, SeveralMayBeSilent) {
  simulated_.fault("/sys/class/thermal/*/temp", Kind::block);
  const std::string zone = "/sys/class/thermal/thermal_zone";
  const std::vector<std::string> zones{zone + "0/temp", zone + "1/temp", zone + "2/temp", zone + "8/temp"};
  for (const auto& answer : reader_->read(zones))
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_EQ(reader_->read({node::gpu_max}).front().value(), "1300500000\n");
}

TEST_F(PatientReaderTest, CanEndWhileSomebodyStillWaits) {
  simulated_.fault(zone_, Kind::block);
  PatientReader other(open_tree(), 10ms);
  EXPECT_FALSE(other.read({zone_}).front());
}

// A board on which a zone blocks is read all the same.
TEST_F(PatientReaderTest, ABoardThatHasASilentZoneHasATemperature) {
  const auto board = simulated_.discover();
  simulated_.fault("/sys/class/thermal/thermal_zone8/temp", Kind::block);
  EXPECT_EQ(board->read_temperature_c(), 46.5);
  EXPECT_TRUE(board->read_power());
  EXPECT_TRUE(simulated_.tree->clear_faults());  // before the board goes, which waits for its reads
}

}  // namespace
}  // namespace fulcrum
