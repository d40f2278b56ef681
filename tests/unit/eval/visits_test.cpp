#include "eval/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/temp_dir.h"

namespace fulcrum::eval {
namespace {

using ::testing::HasSubstr;

const scheduler::Measure kLow{WorkloadTask::training, {1, 1, 1, 1}, 16};
const scheduler::Measure kHigh{WorkloadTask::training, {2, 2, 2, 2}, 16};

Result result(std::vector<scheduler::Measure> measured) {
  Result r;
  r.scenario = "train";
  r.policy = "managed";
  r.train_workload = "net";
  r.strategy = "gmd";
  r.measured = std::move(measured);
  return r;
}

TEST(Visits, AreCountedOverTheProblemsOfASweep) {
  const auto visits = visits_in({result({kLow, kHigh}), result({kHigh, kHigh})});
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_EQ(visits[0].measured.mode, kLow.mode);
  EXPECT_EQ(visits[0].times, 1);
  EXPECT_EQ(visits[1].times, 3);
}

TEST(Visits, AreReadAsTheyWereWritten) {
  const test::TempDir dir;
  const auto visits = visits_in({result({kLow, kHigh})});
  std::ostringstream text;
  write_visits(text, visits);
  test::spill(dir / "visits.csv", text.str());
  const auto read = read_visits(dir / "visits.csv");
  ASSERT_TRUE(read) << read.error().to_string();
  std::ostringstream again;
  write_visits(again, *read);
  EXPECT_EQ(again.str(), text.str());
}

TEST(Visits, TellFileAndLineOfAMalformedRow) {
  const test::TempDir dir;
  const auto path = dir / "visits.csv";
  std::ostringstream text;
  write_visits(text, {});
  test::spill(path, text.str() + "train,managed,net,,gmd,sleeping,1,1,1,1,16,1\n");
  EXPECT_THAT(read_visits(path).error().message, HasSubstr(path + ":2: "));
  test::spill(path, "scenario\n");
  EXPECT_THAT(read_visits(path).error().message, HasSubstr(":1: the header is not"));
}

}  // namespace
}  // namespace fulcrum::eval
