#include "eval/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/bench.h"
#include "eval/table_file.h"
#include "eval/table_source.h"
#include "small_tables.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHeader = "cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w\n";

class TableFiles : public ::testing::Test {
 protected:
  Expected<Table> read(const std::string& text) {
    test::spill(path_, text);
    return read_table(path_, "net", WorkloadTask::training);
  }
  std::string error_of(const std::string& text) {
    const auto table = read(text);
    return table ? "none" : table.error().to_string();
  }

  test::TempDir dir_;
  const std::string path_ = dir_ / "net-train.csv";
};

TEST_F(TableFiles, AreReadWithTheirLevelsAndBatchSizes) {
  const auto table = read(std::string(kHeader) + "4,100,7,9,16,2.5,10\n4,200,7,9,16,1.5,12.5\n");
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->grid().size(), 2U);
  EXPECT_THAT(table->batch_sizes(), ElementsAre(16));
  const auto* row = table->find({4, 200, 7, 9}, 16);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->p50_ms, 1.5);
  EXPECT_EQ(row->p99_ms, 1.5);
  EXPECT_EQ(row->power_w, 12.5);
  EXPECT_EQ(table->find({4, 300, 7, 9}, 16), nullptr);
  EXPECT_EQ(table->find({4, 200, 7, 9}, 1), nullptr);
}

TEST_F(TableFiles, MayHaveLinesThatEndAsOnWindows) {
  EXPECT_TRUE(read("cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w\r\n4,100,7,9,16,2.5,10\r\n"));
}

TEST_F(TableFiles, TellFileAndLineOfAMalformedRow) {
  const std::string good = std::string(kHeader) + "4,100,7,9,16,2.5,10\n";
  EXPECT_THAT(error_of(good + "4,x,7,9,16,2.5,10\n"),
              HasSubstr(path_ + ":3: cpu_khz is 'x', not a positive number"));
  EXPECT_THAT(error_of(good + "4,200,7,9,16,nan,10\n"), HasSubstr(":3: time_ms is 'nan'"));
  EXPECT_THAT(error_of(good + "4,200,7,9,16,2.5,-1\n"), HasSubstr(":3: power_w is '-1'"));
  EXPECT_THAT(error_of(good + "4,200,7,9,16,2.5\n"), HasSubstr(":3: 6 columns, not 7"));
  EXPECT_THAT(error_of(good + "\n"), HasSubstr(":3: 1 columns, not 7"));
  EXPECT_THAT(error_of(good + "4,100,7,9,16,3.5,10\n"),
              HasSubstr(":3: the mode and batch size of line 2 again"));
}

TEST_F(TableFiles, TellWhatTheHeaderShouldBe) {
  EXPECT_THAT(error_of("cores,cpu\n"), HasSubstr(path_ + ":1: the header is not 'cpu_cores,"));
  EXPECT_THAT(error_of(""), HasSubstr(":1: the header is not"));
  EXPECT_THAT(error_of(kHeader), HasSubstr(":1: no rows"));
}

TEST_F(TableFiles, WithRowsThatAreNoGridAreRefused) {
  EXPECT_THAT(error_of(std::string(kHeader) + "1,1,1,1,16,1,1\n2,2,2,2,16,1,1\n"),
              HasSubstr("too few for a grid"));
}

TEST_F(TableFiles, MayHaveGaps) {
  const auto table = read(std::string(kHeader) + "4,1,7,9,16,2,9\n4,2,7,9,16,2,9\n8,1,7,9,16,2,9\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->gaps(), 1U);
  EXPECT_EQ(table->find({8, 2, 7, 9}, 16), nullptr);
}

TEST_F(TableFiles, AreFoundInTheirFolderByName) {
  test::spill(dir_ / "b-train.csv", "");
  test::spill(dir_ / "a-train.csv", "");
  test::spill(dir_ / "a-infer.csv", "");
  test::spill(dir_ / "-infer.csv", "");
  test::spill(dir_ / "notes.txt", "");
  const auto folder = TableFolder::open(dir_.path()).value();
  EXPECT_THAT(folder->workloads(WorkloadTask::training), ElementsAre("a", "b"));
  EXPECT_THAT(folder->workloads(WorkloadTask::inference), ElementsAre("a"));
}

TEST_F(TableFiles, AreMissedInAFolderWithoutThem) {
  const auto folder = TableFolder::open(dir_.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::not_found);
  EXPECT_FALSE(TableFolder::open(dir_ / "nowhere"));
}

TEST(SimulatedTables, HaveEveryClassOfTheBoardOnTheEvaluationGrid) {
  const auto source = SimulatedTables::of_board("agx-orin", false).value();
  EXPECT_THAT(source->workloads(WorkloadTask::training), ElementsAre("detector", "heavy-cnn", "light-cnn"));
  EXPECT_THAT(source->workloads(WorkloadTask::inference), ElementsAre("detector", "heavy-cnn", "light-cnn"));
  const Table table = source->table("light-cnn", WorkloadTask::inference).value();
  EXPECT_EQ(table.grid().size(), 441U);
  EXPECT_THAT(table.batch_sizes(), ElementsAre(1, 4, 16, 32, 64));
  EXPECT_EQ(table.gaps(), 0U);
}

TEST(SimulatedTables, AgreeWithTheSimulatedBoard) {
  const auto source = SimulatedTables::of_board("agx-orin", false).value();
  const auto model = SimulatedWorkloads::builtin("agx-orin").value();
  const Table table = source->table("heavy-cnn", WorkloadTask::training).value();
  const PowerMode mode = table.grid().middle();
  EXPECT_EQ(table.find(mode, 16)->p50_ms,
            model.step_time_ms("heavy-cnn", WorkloadTask::training, 16, mode).value());
  EXPECT_EQ(table.find(mode, 16)->power_w,
            model.busy_power_w("heavy-cnn", WorkloadTask::training, 16, mode).value());
}

TEST(Benches, HaveTheModesThatBothTablesHave) {
  const Table training = small_table("net", WorkloadTask::training);
  const Table whole = small_table("cam", WorkloadTask::inference);
  const auto part = scheduler::ModeGrid::make({{{2}, {1, 3}, {1, 2, 3}, {2}}}).value();
  const Table inference = whole.on(part);
  const Bench bench =
      make_bench(scheduler::ProblemKind::concurrent, GridChoice::full, &training, &inference).value();
  EXPECT_EQ(bench.grid.size(), 6U);
  EXPECT_EQ(bench.training->gaps(), 0U);
  EXPECT_EQ(bench.training->rows().size(), 6U);
}

TEST(Benches, AreNotMadeOfTablesWithoutACommonMode) {
  const Table training = small_table("net", WorkloadTask::training);
  const Table other =
      Table::make("cam", WorkloadTask::inference, {{WorkloadTask::inference, {9, 9, 9, 9}, 1, 1, 1, 1}})
          .value();
  EXPECT_FALSE(make_bench(scheduler::ProblemKind::concurrent, GridChoice::full, &training, &other));
}

}  // namespace
}  // namespace fulcrum::eval
