#pragma once
// What the worker is doing, in a page of memory that the daemon has mapped as well and that outlives the
// worker: so that the daemon sees a step that does not end, and knows whose work killed the worker.

#include <cstdint>
#include <optional>

#include "common/clock.h"
#include "common/error.h"
#include "common/job_spec.h"
#include "common/unique_fd.h"

namespace fulcrum::worker {

inline constexpr int kActivityFd = 4;  // the worker's descriptor of it

class Activity {
 public:
  struct Step {
    JobId job = 0;
    int batch_size = 0;
    TimePoint since{};
  };

  // By the daemon, for a worker that is about to be started; nobody can change its size afterwards.
  [[nodiscard]] static Expected<Activity> create();
  // By the worker.
  [[nodiscard]] static Expected<Activity> open(UniqueFd fd);
  // Known to no other process.
  static Activity unshared();

  ~Activity();
  Activity(Activity&& other) noexcept;
  Activity& operator=(Activity&& other) noexcept;

  const UniqueFd& fd() const { return fd_; }

  // ---- the worker ----

  void step_begins(const Step& step);
  void step_ends();
  // One at a time. For as long as it lasts the thread works for the job (on_behalf_of.h).
  void load_begins(JobId job);
  void load_ends();
  // The thread that calls it is about to be the end of the worker. Async-signal-safe.
  void accuse_this_thread();

  // ---- the daemon, which must not trust it ----

  std::optional<Step> step() const;
  // Whose work it was that ended the worker: that of the thread that crashed; or, where nobody saw it crash,
  // the step that ran, else the job that was being loaded.
  std::optional<JobId> culprit() const;

 private:
  struct Page;
  Activity(UniqueFd fd, Page* page) : fd_(std::move(fd)), page_(page) {}
  static Expected<Page*> map(const UniqueFd& fd);

  UniqueFd fd_;
  Page* page_;
};

// From now on a fatal signal accuses the thread that it hits, and then does what it would have done. The
// activity must live as long as the process.
void report_crashes_to(Activity& activity);

}  // namespace fulcrum::worker
