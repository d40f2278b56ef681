#include "powermode/board_lease.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::contains;
using test::kMaxn;
using test::SimulatedBoard;
namespace node = test::node;

constexpr PowerMode kThreeCores{3, 960000, 318750000, 2133000000};

class BoardLeaseTest : public testing::Test {
 protected:
  BoardLeaseTest() : board_(simulated_.discover()), untouched_(knobs()) {}

  Expected<std::unique_ptr<BoardLease>> try_acquire() {
    return BoardLease::acquire(*board_, simulated_.state_dir(), make_null_logger());
  }
  std::unique_ptr<BoardLease> acquire() {
    auto lease = try_acquire();
    EXPECT_TRUE(lease) << lease.error().to_string();
    return std::move(*lease);
  }
  Expected<RestoreReport> restore() {
    return restore_saved_knobs(*board_, simulated_.state_dir(), make_null_logger());
  }

  // A holder in another process applies a mode and dies.
  void crash_in(const PowerMode& mode) const {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto board = simulated_.discover();
      auto lease = BoardLease::acquire(*board, simulated_.state_dir(), make_null_logger());
      const bool applied = lease && (*lease)->apply(mode);
      std::_Exit(applied ? 0 : 1);  // no destructor runs
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }

  // Every knob as the board itself has it.
  Json knobs() const {
    Json state = simulated_.tree->state()->to_json();
    for (const char* key : {"faults", "clocks", "load", "boots", "boot_id"})
      state.erase(key);
    // Without a lock the rate is the firmware's own affair.
    if (state["emc"]["locked"] == false) state["emc"].erase("rate");
    return state;
  }

  bool saved() const { return test::slurp(simulated_.saved_path()) != "<absent>"; }

  SimulatedBoard simulated_;
  std::unique_ptr<Board> board_;
  Json untouched_;
};

TEST_F(BoardLeaseTest, AppliesAModeAndPinsTheClocksToIt) {
  const auto lease = acquire();
  const auto applied = lease->apply(kThreeCores);
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(*applied, kThreeCores);
  EXPECT_EQ(board_->read_mode().value(), kThreeCores);
  EXPECT_EQ(simulated_.get(node::cpu_dir + "/online"), "0-2");
  EXPECT_EQ(simulated_.get(node::cpu_min), "960000");
  EXPECT_EQ(simulated_.get(node::gpu_min), "318750000");
  EXPECT_EQ(simulated_.get(node::emc_rate), "2133000000");
  EXPECT_EQ(simulated_.get(node::emc_cap), "2133000000");
}

TEST_F(BoardLeaseTest, AppliesEveryPresetAfterEveryOther) {
  const auto lease = acquire();
  for (const auto& first : board_->presets()) {
    for (const auto& second : board_->presets()) {
      ASSERT_TRUE(lease->apply(first.mode)) << first.name;
      ASSERT_TRUE(lease->apply(second.mode)) << first.name << " to " << second.name;
      EXPECT_EQ(board_->read_mode().value(), second.mode);
    }
  }
}

TEST_F(BoardLeaseTest, ReleasePutsEveryKnobBack) {
  const auto lease = acquire();
  ASSERT_TRUE(lease->apply(kThreeCores));
  ASSERT_TRUE(lease->apply(kMaxn));
  ASSERT_TRUE(lease->apply({5, 1728000, 522750000, 665600000}));
  const auto report = lease->release();
  EXPECT_TRUE(report.complete()) << report.summary();
  EXPECT_GE(report.knobs.size(), 22U);
  EXPECT_EQ(knobs(), untouched_);
  EXPECT_FALSE(saved());
}

TEST_F(BoardLeaseTest, DestructionReleases) {
  ASSERT_TRUE(acquire()->apply(kThreeCores));
  EXPECT_EQ(knobs(), untouched_);
  EXPECT_FALSE(saved());
}

TEST_F(BoardLeaseTest, IsOverAfterRelease) {
  const auto lease = acquire();
  lease->release();
  EXPECT_TRUE(lease->release().knobs.empty());
  EXPECT_FALSE(lease->apply(kThreeCores));
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, RestoresKnobsThatWereNotAtTheirDefaults) {
  for (const int cpu : {2, 8, 9, 10, 11})
    ASSERT_TRUE(simulated_.set(node::online(cpu), "0"));
  ASSERT_TRUE(simulated_.set(node::cpu_max, "1728000"));
  ASSERT_TRUE(simulated_.set(node::cpu_min, "960000"));
  ASSERT_TRUE(simulated_.set(node::gpu_max, "726750000"));
  ASSERT_TRUE(simulated_.set(node::gpu_min, "726750000"));
  ASSERT_TRUE(simulated_.set(node::emc_locked, "1"));
  ASSERT_TRUE(simulated_.set(node::emc_rate, "665600000"));
  ASSERT_TRUE(simulated_.set(node::emc_cap, "2133000000"));
  const Json before = knobs();
  const auto lease = acquire();
  for (const auto& mode : {kMaxn, kThreeCores, kMaxn})
    ASSERT_TRUE(lease->apply(mode));
  EXPECT_TRUE(lease->release().complete());
  EXPECT_EQ(knobs(), before);
}

TEST_F(BoardLeaseTest, RestoresTheLimitsOfAClusterThatWasOffline) {
  ASSERT_TRUE(simulated_.set(node::cluster_max(8), "1113600"));
  for (const int cpu : {8, 9, 10, 11})
    ASSERT_TRUE(simulated_.set(node::online(cpu), "0"));
  const Json before = knobs();
  crash_in(kMaxn);
  const auto report = restore();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->complete()) << report->summary();
  EXPECT_EQ(knobs(), before);
}

TEST_F(BoardLeaseTest, RefusesAModeThatTheBoardDoesNotHave) {
  const auto lease = acquire();
  EXPECT_EQ(lease->apply({3, 960001, 318750000, 2133000000}).error().field, "/cpu_khz");
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, SavesBeforeTheFirstWrite) {
  int writes = 0;
  auto watched = std::make_unique<test::WatchedTree>(
      simulated_.open_tree(),
      [&](const std::string& path, std::string_view) {
        ++writes;
        const std::string text = test::slurp(simulated_.saved_path());
        EXPECT_TRUE(contains(text, path)) << path << " was not saved before it was written";
        EXPECT_TRUE(contains(text, simulated_.get("/proc/sys/kernel/random/boot_id")));
      },
      nullptr);
  board_ = simulated_.discover(std::move(watched));
  ASSERT_TRUE(simulated_.set(node::emc_locked, "1"));
  for (const int cpu : {8, 9, 10, 11})
    ASSERT_TRUE(simulated_.set(node::online(cpu), "0"));
  const auto lease = acquire();
  EXPECT_EQ(writes, 0);
  ASSERT_TRUE(lease->apply(kThreeCores));
  ASSERT_TRUE(lease->apply(kMaxn));
  EXPECT_GT(writes, 20);
  lease->release();
}

TEST_F(BoardLeaseTest, HasOneHolderAtATime) {
  auto lease = acquire();
  EXPECT_EQ(try_acquire().error().code, ErrorCode::busy);
  EXPECT_EQ(restore().error().code, ErrorCode::busy);
  ASSERT_TRUE(lease->apply(kThreeCores));
  EXPECT_EQ(board_->read_mode().value(), kThreeCores);
  lease.reset();
  EXPECT_TRUE(try_acquire());
}

TEST_F(BoardLeaseTest, KnobsOfAKilledHolderAreRestoredOnDemand) {
  crash_in(kThreeCores);
  EXPECT_EQ(board_->read_mode().value(), kThreeCores);
  auto report = restore();
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(knobs(), untouched_);
  report = restore();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->knobs.empty());
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, KnobsOfAKilledHolderAreRestoredByTheNext) {
  crash_in(kThreeCores);
  auto lease = acquire();
  EXPECT_EQ(knobs(), untouched_);
  ASSERT_TRUE(lease->apply({7, 1728000, 522750000, 665600000}));
  lease.reset();
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, KnobsOfTwoKilledHoldersAreThoseBeforeTheFirst) {
  crash_in(kThreeCores);
  crash_in(kMaxn);
  acquire().reset();
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, KnobsThatTheNextHolderCouldNotRestoreStayOwed) {
  crash_in(kThreeCores);
  simulated_.fault(node::gpu_max, Kind::write_error, "EBUSY");
  auto lease = acquire();
  ASSERT_TRUE(simulated_.tree->clear_faults());
  lease.reset();
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, NothingIsRestoredAfterAReboot) {
  crash_in(kThreeCores);
  ASSERT_TRUE(simulated_.tree->reboot());
  ASSERT_TRUE(simulated_.set(node::gpu_max, "420750000"));
  board_ = simulated_.discover();
  const auto report = restore();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->knobs.empty());
  EXPECT_EQ(simulated_.get(node::gpu_max), "420750000");
  EXPECT_FALSE(saved());
}

TEST_F(BoardLeaseTest, ALeaseAfterARebootKeepsWhatItFinds) {
  crash_in(kThreeCores);
  ASSERT_TRUE(simulated_.tree->reboot());
  ASSERT_TRUE(simulated_.set(node::gpu_max, "420750000"));
  board_ = simulated_.discover();
  ASSERT_TRUE(acquire()->apply(kMaxn));
  EXPECT_EQ(simulated_.get(node::gpu_max), "420750000");
}

TEST_F(BoardLeaseTest, ACorruptFileIsReportedAndKept) {
  crash_in(kThreeCores);
  const std::string good = test::slurp(simulated_.saved_path());
  for (const std::string& text :
       {std::string(), std::string("rubbish"), good.substr(0, good.size() / 2), std::string("[]"),
        std::string(R"({"format":1,"board":"agx-orin","boot_id":"x","knobs":{}})"),
        std::string(R"({"format":9})")}) {
    test::spill(simulated_.saved_path(), text);
    EXPECT_EQ(try_acquire().error().code, ErrorCode::corrupt) << text;
    EXPECT_EQ(restore().error().code, ErrorCode::corrupt) << text;
    EXPECT_TRUE(contains(restore().error().hint, "delete the file"));
    EXPECT_EQ(test::slurp(simulated_.saved_path()), text);
  }
  test::spill(simulated_.saved_path(), good);
  EXPECT_TRUE(restore());
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, OnlyKnobsOfTheBoardAreRestored) {
  crash_in(kThreeCores);
  Json json = Json::parse(test::slurp(simulated_.saved_path()));
  json["knobs"].push_back({{"path", kSimulatedLoadNode}, {"value", "1 idle"}});
  test::spill(simulated_.saved_path(), json.dump());
  const auto report = restore();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->complete());
  EXPECT_TRUE(contains(report->summary(), "no knob of this board"));
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, APartialRestoreNamesTheKnobAndKeepsTheFile) {
  const auto lease = acquire();
  ASSERT_TRUE(lease->apply(kThreeCores));
  simulated_.fault(node::emc_cap, Kind::write_error, "EBUSY");
  const auto report = lease->release();
  EXPECT_FALSE(report.complete());
  EXPECT_TRUE(contains(report.summary(), node::emc_cap)) << report.summary();
  EXPECT_EQ(simulated_.get(node::gpu_max), "1300500000");  // the others are restored all the same
  EXPECT_TRUE(saved());
  ASSERT_TRUE(simulated_.tree->clear_faults());
  const auto again = restore();
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->complete());
  EXPECT_EQ(knobs(), untouched_);
  EXPECT_FALSE(saved());
}

TEST_F(BoardLeaseTest, AWriteThatIsIgnoredIsFoundAndThePreviousModePutBack) {
  const auto lease = acquire();
  ASSERT_TRUE(lease->apply(kThreeCores));
  simulated_.fault(node::emc_rate, Kind::ignore_write);
  const auto applied = lease->apply(kMaxn);
  ASSERT_FALSE(applied);
  EXPECT_TRUE(contains(applied.error().message, "was set to 3199000000 but reads 2133000000"))
      << applied.error().to_string();
  EXPECT_TRUE(contains(applied.error().to_string(), kMaxn.to_string()));
  EXPECT_EQ(board_->read_mode().value(), kThreeCores);
}

TEST_F(BoardLeaseTest, AWriteThatFailsNamesTheKnob) {
  const auto lease = acquire();
  simulated_.fault(node::online(6), Kind::write_error, "EBUSY");
  const auto applied = lease->apply(kThreeCores);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::busy);
  EXPECT_TRUE(contains(applied.error().to_string(), node::online(6)));
  EXPECT_EQ(knobs(), untouched_);
}

TEST_F(BoardLeaseTest, KnobsThatCannotBeReadCannotBeLeased) {
  simulated_.fault(node::gpu_min, Kind::read_error, "EACCES");
  const auto lease = try_acquire();
  ASSERT_FALSE(lease);
  EXPECT_TRUE(contains(lease.error().to_string(), "saving the board's knobs"));
  EXPECT_FALSE(saved());
}

TEST_F(BoardLeaseTest, AStateDirectoryThatCannotBeWrittenIsAnErrorBeforeAnyWrite) {
  test::spill(simulated_.state_dir(), "a file");
  EXPECT_FALSE(try_acquire());
  EXPECT_EQ(knobs(), untouched_);
}

}  // namespace
}  // namespace fulcrum
