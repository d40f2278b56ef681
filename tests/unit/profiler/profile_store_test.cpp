#include "profiler/profile_store.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_dir.h"
#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using fulcrum::test::TempDir;
using test::some_measurement;
using testing::HasSubstr;

class ProfileStoreTest : public testing::Test {
 protected:
  ProfileStore open() const { return open(path_); }
  static ProfileStore open(const std::string& path) {
    auto store = ProfileStore::open(path);
    if (!store) throw std::runtime_error(store.error().to_string());
    return *std::move(store);
  }

  // The n-th of several measurements of one key.
  static Measurement numbered(int n) {
    auto m = some_measurement();
    m.measured_at_ms += n;
    m.power_w = 20 + n;
    return m;
  }

  void run_sql(const char* sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  TempDir dir_;
  std::string path_ = dir_ / "profiles.db";
};

TEST_F(ProfileStoreTest, AMeasurementIsWhatWasAdded) {
  auto store = open();
  ASSERT_TRUE(store.add(some_measurement()));
  const auto found = store.measurements({});
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().to_json(), some_measurement().to_json());
}

TEST_F(ProfileStoreTest, ATemperatureMayBeUnknown) {
  auto store = open();
  auto m = some_measurement();
  m.temperature_c.reset();
  ASSERT_TRUE(store.add(m));
  EXPECT_FALSE(store.measurements({})->front().temperature_c);
}

TEST_F(ProfileStoreTest, MeasurementsOutliveTheStore) {
  ASSERT_TRUE(open().add(some_measurement()));
  EXPECT_EQ(open().list({})->size(), 1u);
}

TEST_F(ProfileStoreTest, ACopyOfTheFilesMadeWhileOpenHasTheMeasurement) {  // as after kill -9
  auto store = open();
  ASSERT_TRUE(store.add(some_measurement()));
  const std::string copy = dir_ / "copy";
  std::filesystem::create_directory(copy);
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy(path_ + suffix, copy + "/profiles.db" + suffix);
  }
  EXPECT_EQ(open(copy + "/profiles.db").list({})->size(), 1u);
}

TEST_F(ProfileStoreTest, MeasurementsOfOneKeyArePooled) {
  auto store = open();
  ASSERT_TRUE(store.add_all({numbered(1), numbered(2), numbered(9)}));
  const auto profiles = store.list({});
  ASSERT_EQ(profiles->size(), 1u);
  EXPECT_EQ(profiles->front().measurements, 3);
  EXPECT_EQ(profiles->front().power_w, 22);
}

TEST_F(ProfileStoreTest, TheSameMeasurementTwiceCountsOnce) {
  auto store = open();
  ASSERT_TRUE(store.add(some_measurement()));
  ASSERT_TRUE(store.add(some_measurement()));
  EXPECT_EQ(store.list({})->front().measurements, 1);
}

TEST_F(ProfileStoreTest, TheNewestOfOneKeyAreKept) {
  auto store = open();
  const int last = ProfileStore::kKeptOfOneKey + 3;
  for (int n = last; n >= 1; --n)
    ASSERT_TRUE(store.add(numbered(n)));
  const auto kept = store.measurements({});
  ASSERT_EQ(kept->size(), static_cast<std::size_t>(ProfileStore::kKeptOfOneKey));
  EXPECT_EQ(kept->front().power_w, numbered(4).power_w);
  EXPECT_EQ(kept->back().power_w, numbered(last).power_w);
}

TEST_F(ProfileStoreTest, NewMeasurementsPushOutNoneOfAnotherKey) {
  auto store = open();
  auto other = some_measurement();
  other.key.mode.emc_hz = 665600000;
  other.measured_at_ms = 1;
  ASSERT_TRUE(store.add(other));
  for (int n = 0; n < ProfileStore::kKeptOfOneKey + 1; ++n)
    ASSERT_TRUE(store.add(numbered(n)));
  EXPECT_EQ(store.list({})->size(), 2u);
}

TEST_F(ProfileStoreTest, FindsTheProfilesOfOneWorkloadByModeAndBatchSize) {
  auto store = open();
  auto other_board = some_measurement(), other_workload = some_measurement(), other_task = some_measurement();
  other_board.key.board_id = "orin-nano";
  other_workload.key.fingerprint = "ffffffffffffffff";
  other_task.key.task = WorkloadTask::inference;
  auto small = some_measurement(), slow = some_measurement();
  small.key.batch_size = 4;
  slow.key.mode.gpu_hz = 306000000;
  ASSERT_TRUE(store.add_all({some_measurement(), other_board, small, other_workload, slow, other_task}));

  const auto& key = some_measurement().key;
  const auto found = store.find(key.board_id, key.fingerprint, key.task);
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].key, slow.key);
  EXPECT_EQ((*found)[1].key, small.key);
  EXPECT_EQ((*found)[2].key, key);
}

TEST_F(ProfileStoreTest, FindsNothingWhereNothingWasMeasured) {
  auto store = open();
  EXPECT_TRUE(store.find("agx-orin", "0123456789abcdef", WorkloadTask::training)->empty());
}

TEST_F(ProfileStoreTest, EachPartOfAFilterNarrows) {
  auto store = open();
  auto other = some_measurement();
  other.key = {"orin-nano", "ffffffffffffffff", WorkloadTask::inference, {4, 1, 2, 3}, 1};
  other.measured_at_ms = 1000;
  ASSERT_TRUE(store.add_all({some_measurement(), other}));

  const auto only_other = [&](const ProfileFilter& filter) {
    const auto found = store.list(filter);
    return found && found->size() == 1 && found->front().key == other.key;
  };
  ProfileFilter board, workload, task, mode, batch_size, before;
  board.board_id = "orin-nano";
  workload.fingerprint = "ffffffffffffffff";
  task.task = WorkloadTask::inference;
  mode.mode = other.key.mode;
  batch_size.batch_size = 1;
  before.measured_before_ms = 1001;
  for (const auto& filter : {board, workload, task, mode, batch_size, before})
    EXPECT_TRUE(only_other(filter));

  before.measured_before_ms = 1000;
  EXPECT_TRUE(store.list(before)->empty());
  mode.mode->emc_hz = 4;
  EXPECT_TRUE(store.list(mode)->empty());
}

TEST_F(ProfileStoreTest, ForgetsWhatAFilterMatchesAndSaysHowMuch) {
  auto store = open();
  auto other = some_measurement();
  other.key.batch_size = 1;
  ASSERT_TRUE(store.add_all({numbered(1), numbered(2), other}));
  ProfileFilter filter;
  filter.batch_size = 16;
  EXPECT_EQ(store.forget(filter), 2);
  EXPECT_EQ(store.forget(filter), 0);
  EXPECT_EQ(store.list({})->size(), 1u);
  EXPECT_EQ(store.forget({}), 1);
}

TEST_F(ProfileStoreTest, WhatWasForgottenStaysForgotten) {
  {
    auto store = open();
    ASSERT_TRUE(store.add(some_measurement()));
    ASSERT_TRUE(store.forget({}));
  }
  EXPECT_TRUE(open().list({})->empty());
}

TEST_F(ProfileStoreTest, AnEqualBoardImportsWhatOneExported) {
  auto first = open(), second = open(dir_ / "second.db");
  ASSERT_TRUE(first.add_all({numbered(1), numbered(2)}));
  const auto document = first.export_json({});
  const auto imported = second.import_json(*document, "agx-orin");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->added, 2);
  EXPECT_EQ(second.export_json({}).value(), document.value());
}

TEST_F(ProfileStoreTest, ImportingTwiceAddsNothing) {
  auto store = open();
  ASSERT_TRUE(store.add_all({numbered(1), numbered(2)}));
  const auto again = store.import_json(*store.export_json({}), "agx-orin");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(again->known, 2);
  EXPECT_EQ(store.measurements({})->size(), 2u);
}

TEST_F(ProfileStoreTest, AnImportWithAFaultImportsNothing) {
  auto store = open();
  Json document = write_exchange({numbered(1), numbered(2)});
  document["measurements"][1]["batch_size"] = 0;
  const auto imported = store.import_json(document, "agx-orin");
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().front().field, "/measurements/1/batch_size");
  EXPECT_TRUE(store.list({})->empty());
}

TEST_F(ProfileStoreTest, AnImportFromAnotherBoardIsRefusedUnlessTold) {
  auto store = open();
  const auto document = write_exchange({some_measurement()});
  EXPECT_FALSE(store.import_json(document, "orin-nano"));
  ASSERT_TRUE(store.import_json(document, "orin-nano", ForeignBoards::take_as_ours));
  EXPECT_EQ(store.list({})->front().key.board_id, "orin-nano");
}

TEST_F(ProfileStoreTest, AddsAllOrNone) {
  auto store = open();
  auto broken = numbered(2);
  broken.power_w = std::nan("");
  EXPECT_FALSE(store.add_all({numbered(1), broken}));
  EXPECT_TRUE(store.list({})->empty());
  EXPECT_TRUE(store.add(numbered(1)));
}

TEST_F(ProfileStoreTest, TextInAKeyIsNoSql) {
  auto store = open();
  auto m = some_measurement();
  m.key.board_id = "'; DROP TABLE measurement; --";
  ASSERT_TRUE(store.add(m));
  ProfileFilter filter;
  filter.board_id = m.key.board_id;
  EXPECT_EQ(store.list(filter)->size(), 1u);
}

TEST_F(ProfileStoreTest, KeepsWhatOthersUsedOfTheGpu) {
  auto m = some_measurement();
  m.foreign_gpu_load = 0.25;
  ASSERT_TRUE(open().add(m));
  EXPECT_EQ(open().list({})->front().foreign_gpu_load, 0.25);
}

TEST_F(ProfileStoreTest, AFileOfAnOlderFulcrumIsBroughtUpToDate) {
  ASSERT_TRUE(open().add(some_measurement()));
  run_sql("ALTER TABLE measurement DROP COLUMN foreign_gpu_load");
  run_sql("DROP TABLE memory");
  run_sql("PRAGMA user_version = 1");
  auto store = open();
  ASSERT_EQ(store.list({})->size(), 1U);
  EXPECT_EQ(store.list({})->front().foreign_gpu_load, std::nullopt);
  auto m = numbered(1);
  m.foreign_gpu_load = 0.5;
  EXPECT_TRUE(store.add(m));
}

TEST_F(ProfileStoreTest, TheMostMemoryThatAJobHasTakenIsKept) {
  const auto key = some_measurement().key;
  {
    auto store = open();
    EXPECT_EQ(store.memory_bytes(key.board_id, key.fingerprint, "of 16").value(), std::nullopt);
    ASSERT_TRUE(store.keep_memory(key.board_id, key.fingerprint, "of 16", 5'000'000'000));
    ASSERT_TRUE(store.keep_memory(key.board_id, key.fingerprint, "of 16", 4'000'000'000));
    ASSERT_TRUE(store.keep_memory(key.board_id, key.fingerprint, "of 64", 9'000'000'000));
  }
  auto store = open();
  EXPECT_EQ(store.memory_bytes(key.board_id, key.fingerprint, "of 16").value(), 5'000'000'000);
  EXPECT_EQ(store.memory_bytes("another", key.fingerprint, "of 16").value(), std::nullopt);
  ProfileFilter whole;
  whole.fingerprint = key.fingerprint;
  ASSERT_TRUE(store.forget(whole));
  EXPECT_EQ(store.memory_bytes(key.board_id, key.fingerprint, "of 64").value(), std::nullopt);
}

TEST_F(ProfileStoreTest, AFileOfANewerFulcrumIsLeftAlone) {
  ASSERT_TRUE(open().add(some_measurement()));
  run_sql("PRAGMA user_version = 99");
  const auto store = ProfileStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unsupported);
  EXPECT_THAT(store.error().to_string(), HasSubstr("99"));
}

TEST_F(ProfileStoreTest, AFileThatIsNoDatabaseIsCorrupt) {
  fulcrum::test::spill(path_, std::string(8192, 'x'));
  const auto store = ProfileStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::corrupt);
  EXPECT_THAT(store.error().to_string(), HasSubstr(path_));
}

TEST_F(ProfileStoreTest, ARowThatNoFulcrumWroteIsCorrupt) {
  ASSERT_TRUE(open().add(some_measurement()));
  run_sql("UPDATE measurement SET task = 'serving'");
  const auto found = open().list({});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::corrupt);
}

TEST_F(ProfileStoreTest, ACalibrationOutlivesTheStoreAndIsNotReplaced) {
  ASSERT_TRUE(open().keep_kappa("agx-orin", "0123456789abcdef", 0.25));
  auto store = open();
  ASSERT_TRUE(store.keep_kappa("agx-orin", "0123456789abcdef", 0.5));
  EXPECT_EQ(store.kappa("agx-orin", "0123456789abcdef").value(), 0.25);
  EXPECT_EQ(store.kappa("agx-orin", "fedcba9876543210").value(), std::nullopt);
}

TEST_F(ProfileStoreTest, AWorkloadIsForgottenWithItsCalibration) {
  auto store = open();
  const auto key = some_measurement().key;
  ASSERT_TRUE(store.add(some_measurement()));
  ASSERT_TRUE(store.keep_kappa(key.board_id, key.fingerprint, 0.25));
  ProfileFilter one_batch_size;
  one_batch_size.batch_size = key.batch_size;
  ASSERT_TRUE(store.forget(one_batch_size));
  EXPECT_EQ(store.kappa(key.board_id, key.fingerprint).value(), 0.25) << "other profiles may rest on it";
  ProfileFilter workload;
  workload.fingerprint = key.fingerprint;
  ASSERT_TRUE(store.forget(workload));
  EXPECT_EQ(store.kappa(key.board_id, key.fingerprint).value(), std::nullopt);
}

}  // namespace
}  // namespace fulcrum::profiler
