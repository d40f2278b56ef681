#include "worker/activity.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "common/on_behalf_of.h"

namespace fulcrum::worker {
namespace {

UniqueFd copy_of(const UniqueFd& fd) {
  return UniqueFd(::dup(fd.get()));
}

TEST(Activity, OfTheWorkerIsSeenByTheDaemon) {
  const auto ours = Activity::create().value();
  auto theirs = Activity::open(copy_of(ours.fd())).value();
  EXPECT_FALSE(ours.step());
  EXPECT_FALSE(ours.culprit());
  const TimePoint since{std::chrono::seconds(5)};
  theirs.step_begins({7, 16, since});
  const auto step = ours.step();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->job, 7);
  EXPECT_EQ(step->batch_size, 16);
  EXPECT_EQ(step->since, since);
  theirs.step_ends();
  EXPECT_FALSE(ours.step());
}

TEST(Activity, AStepIsSuspectedBeforeALoad) {
  auto activity = Activity::unshared();
  activity.load_begins(3);
  EXPECT_EQ(activity.culprit(), 3);
  activity.step_begins({7, 16, {}});
  EXPECT_EQ(activity.culprit(), 7);
  activity.step_ends();
  activity.load_ends();
  EXPECT_FALSE(activity.culprit());
}

TEST(Activity, CannotBeMadeSmallerByTheWorker) {
  const auto ours = Activity::create().value();
  const auto theirs = copy_of(ours.fd());
  EXPECT_NE(::ftruncate(theirs.get(), 0), 0) << "the daemon would be killed by a bus error";
}

TEST(Activity, WithoutAPageIsAnError) {
  EXPECT_FALSE(Activity::open(UniqueFd(::dup(STDERR_FILENO) + 100)));
}

// In a process of its own.
void crash(const Activity& shared, const std::function<void(Activity&)>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto activity = Activity::open(copy_of(shared.fd())).value();
    report_crashes_to(activity);
    work(activity);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it dies of the signal all the same";
  EXPECT_EQ(WTERMSIG(status), SIGILL);
}

TEST(Activity, TheThreadThatCrashedIsAccused) {
  const auto activity = Activity::create().value();
  crash(activity, [](Activity& own) {
    own.step_begins({7, 16, {}});
    std::thread([] {
      const OnBehalfOf job(3);
      ::raise(SIGILL);
    }).join();
  });
  EXPECT_EQ(activity.culprit(), 3);
}

TEST(Activity, AThreadThatWorksForNobodyLeavesItToTheStep) {
  const auto activity = Activity::create().value();
  crash(activity, [](Activity& own) {
    own.step_begins({7, 16, {}});
    std::thread([] { ::raise(SIGILL); }).join();
  });
  EXPECT_EQ(activity.culprit(), 7);
}

TEST(OnBehalfOf, EndsWithTheScope) {
  EXPECT_EQ(job_of_this_thread(), 0);
  {
    const OnBehalfOf outer(1);
    { const OnBehalfOf inner(2); }
    EXPECT_EQ(job_of_this_thread(), 1);
  }
  EXPECT_EQ(job_of_this_thread(), 0);
}

}  // namespace
}  // namespace fulcrum::worker
