#include "daemon/job_store.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace fulcrum::daemon {
namespace {

using testing::HasSubstr;

const Json kSpec{{"kind", "training"}, {"epochs", 2}};

class JobStoreTest : public testing::Test {
 protected:
  JobStore open() const {
    auto store = JobStore::open(path_);
    if (!store) throw std::runtime_error(store.error().to_string());
    return *std::move(store);
  }

  test::TempDir dir_;
  std::string path_ = dir_ / "jobs.db";
};

TEST_F(JobStoreTest, JobsAreNumberedFromOne) {
  auto store = open();
  EXPECT_EQ(store.add(kSpec, {}, 10)->id, 1);
  EXPECT_EQ(store.add(kSpec, {}, 11)->id, 2);
}

TEST_F(JobStoreTest, AJobIsWhatWasAdded) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, "token", 10));
  const auto job = store.get(1);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->spec, kSpec);
  EXPECT_EQ(job->client_token, "token");
  EXPECT_EQ(job->state, JobState::queued);
  EXPECT_EQ(job->submitted_ms, 10);
  EXPECT_FALSE(job->started_ms);
  EXPECT_FALSE(job->result);
  EXPECT_EQ(job->progress, Json::object());
}

TEST_F(JobStoreTest, JobsOutliveTheStore) {
  ASSERT_TRUE(open().add(kSpec, {}, 10));
  EXPECT_EQ(open().list()->size(), 1u);
}

TEST_F(JobStoreTest, ACopyOfTheFilesMadeWhileOpenHasTheJob) {  // as after kill -9
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  const std::string copy = dir_ / "copy";
  std::filesystem::create_directory(copy);
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy(path_ + suffix, copy + "/jobs.db" + suffix);
  }
  EXPECT_EQ(JobStore::open(copy + "/jobs.db")->list()->size(), 1u);
}

TEST_F(JobStoreTest, TheSameTokenAndSpecIsTheSameJob) {
  auto store = open();
  EXPECT_FALSE(store.add(kSpec, "t", 10)->existed);
  const auto again = store.add(kSpec, "t", 99);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->id, 1);
  EXPECT_EQ(store.list()->size(), 1u);
}

TEST_F(JobStoreTest, TheSameTokenWithAnotherSpecIsRefused) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, "t", 10));
  const auto other = store.add({{"kind", "inference"}}, "t", 11);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::already_exists);
  EXPECT_THAT(other.error().message, HasSubstr("job 1"));
}

TEST_F(JobStoreTest, TextIsStoredWholeWhateverItContains) {
  auto store = open();
  const Json spec{{"name", std::string("a'b\"c\n\0d", 8)}};
  ASSERT_TRUE(store.add(spec, "'; DROP TABLE job; --", 10));
  EXPECT_EQ(store.get(1)->spec, spec);
  EXPECT_EQ(store.get(1)->client_token, "'; DROP TABLE job; --");
}

TEST_F(JobStoreTest, AnUnknownJobIsNotFound) {
  auto store = open();
  EXPECT_EQ(store.get(7).error().code, ErrorCode::not_found);
  EXPECT_EQ(store.update_state(7, JobState::running, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(store.finish(7, {}, 1).error().code, ErrorCode::not_found);
}

TEST_F(JobStoreTest, OnlyTheFirstRunSetsWhenItStarted) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  ASSERT_TRUE(store.update_state(1, JobState::starting, 20));
  EXPECT_FALSE(store.get(1)->started_ms);
  ASSERT_TRUE(store.update_state(1, JobState::running, 30));
  ASSERT_TRUE(store.update_state(1, JobState::queued, 40));
  ASSERT_TRUE(store.update_state(1, JobState::running, 50));
  EXPECT_EQ(store.get(1)->started_ms, 30);
  EXPECT_EQ(store.get(1)->state, JobState::running);
}

TEST_F(JobStoreTest, ProgressIsKept) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  ASSERT_TRUE(store.update_progress(1, {{"epoch", 1}}));
  EXPECT_EQ(store.get(1)->progress, (Json{{"epoch", 1}}));
}

TEST_F(JobStoreTest, AFailureKeepsWhatTheJobHadAchieved) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  ASSERT_TRUE(store.update_progress(1, {{"epoch", 1}}));
  ASSERT_TRUE(store.finish(1, {JobState::failed, "out of memory", Json{{"accuracy", 0.5}}, {}}, 60));
  const auto job = store.get(1);
  EXPECT_EQ(job->state, JobState::failed);
  EXPECT_EQ(job->error, "out of memory");
  EXPECT_EQ(job->finished_ms, 60);
  EXPECT_EQ(job->result, (Json{{"accuracy", 0.5}}));
  EXPECT_EQ(job->progress, (Json{{"epoch", 1}}));
}

TEST_F(JobStoreTest, EndedJobsAreNotActive) {
  auto store = open();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(store.add(kSpec, {}, 10));
  ASSERT_TRUE(store.finish(2, {JobState::cancelled, {}, {}, {}}, 60));
  const auto active = store.list_active();
  ASSERT_EQ(active->size(), 2u);
  EXPECT_EQ(active->at(0).id, 1);
  EXPECT_EQ(active->at(1).id, 3);
}

TEST_F(JobStoreTest, EveryStateHasANameThatLeadsBackToIt) {
  for (const auto state : {JobState::queued, JobState::starting, JobState::running, JobState::done,
                           JobState::failed, JobState::cancelled}) {
    EXPECT_EQ(job_state_from(to_string(state)), state);
  }
  EXPECT_EQ(job_state_from("asleep"), std::nullopt);
}

TEST_F(JobStoreTest, AFileOfANewerVersionIsRefusedAndLeftAlone) {
  { auto store = open(); }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const auto store = JobStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unsupported);
  EXPECT_THAT(store.error().message, HasSubstr("newer"));
}

TEST_F(JobStoreTest, AFileThatIsNoDatabaseIsCorruptAndLeftAlone) {
  const std::string garbage(5000, 'x');
  test::spill(path_, garbage);
  const auto store = JobStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::corrupt);
  EXPECT_THAT(store.error().to_string(), testing::AllOf(HasSubstr(path_), HasSubstr("move it away")));
  EXPECT_EQ(test::slurp(path_), garbage);
}

TEST_F(JobStoreTest, ADamagedPageIsCorrupt) {
  {
    auto store = open();
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(store.add(kSpec, {}, 10));
  }
  auto bytes = test::slurp(path_);
  ASSERT_GT(bytes.size(), 8192u);
  bytes.replace(4096, 4096, std::string(4096, '\x5a'));
  test::spill(path_, bytes);
  const auto store = JobStore::open(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::corrupt);
}

TEST_F(JobStoreTest, ARowThatIsNoJsonIsCorruptAndNamesTheJob) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "UPDATE job SET spec = '{'", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const auto job = store.get(1);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::corrupt);
  EXPECT_THAT(job.error().message, HasSubstr("job 1"));
}

TEST_F(JobStoreTest, AForeignTransactionIsBusyAndTheStoreGoesOnAfterwards) {
  auto store = open();
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto refused = store.add(kSpec, {}, 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::busy);
  sqlite3_close(db);
  EXPECT_TRUE(store.add(kSpec, {}, 10));
}

TEST_F(JobStoreTest, ADirectoryThatDoesNotExistIsAnError) {
  const auto store = JobStore::open(dir_ / "none/jobs.db");
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().to_string(), HasSubstr("none/jobs.db"));
}

// A file size limit refuses writes as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(JobStoreTest, AFullDiskIsAnErrorThatLosesNothing) {
  auto store = open();
  ASSERT_TRUE(store.add(kSpec, {}, 10));
  {
    const FileSizeLimit full(std::filesystem::file_size(path_ + "-wal"));
    const auto refused = store.add(kSpec, {}, 11);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::io);
  }
  EXPECT_EQ(store.list()->size(), 1u);
  EXPECT_TRUE(store.add(kSpec, {}, 12));
  EXPECT_EQ(open().list()->size(), 2u);
}

}  // namespace
}  // namespace fulcrum::daemon
