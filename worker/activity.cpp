#include "worker/activity.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <utility>

#include "common/on_behalf_of.h"

namespace fulcrum::worker {

// Written by the worker alone, a field at a time. 0: nothing.
struct Activity::Page {
  std::atomic<std::int64_t> step_job{0};
  std::atomic<std::int64_t> step_batch_size{0};
  std::atomic<std::int64_t> step_since_ns{0};
  std::atomic<std::int64_t> loaded_job{0};
  std::atomic<std::int64_t> accused_job{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

Expected<Activity::Page*> Activity::map(const UniqueFd& fd) {
  void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE,
                        fd.valid() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd.get(), 0);
  if (memory == MAP_FAILED) return fail_errno(errno, "mapping the worker's activity");
  return static_cast<Page*>(memory);
}

Expected<Activity> Activity::create() {
  UniqueFd fd(::memfd_create("fulcrum-activity", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return fail_errno(errno, "creating the page of the worker's activity");
  if (::ftruncate(fd.get(), sizeof(Page)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno(errno, "preparing the page of the worker's activity");
  FULCRUM_TRY_ASSIGN(page, map(fd));
  return Activity(std::move(fd), new (page) Page);
}

Expected<Activity> Activity::open(UniqueFd fd) {
  FULCRUM_TRY_ASSIGN(page, map(fd));
  return Activity(std::move(fd), page);
}

Activity Activity::unshared() {
  return {UniqueFd(), new (map(UniqueFd()).value()) Page};
}

Activity::Activity(Activity&& other) noexcept
    : fd_(std::move(other.fd_)), page_(std::exchange(other.page_, nullptr)) {}

Activity& Activity::operator=(Activity&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(page_, other.page_);
  return *this;
}

Activity::~Activity() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Page));
}

void Activity::step_begins(const Step& step) {
  page_->step_batch_size = step.batch_size;
  page_->step_since_ns = to_ns(step.since);
  page_->step_job = step.job;
}

void Activity::step_ends() {
  page_->step_job = 0;
}

void Activity::load_begins(JobId job) {
  page_->loaded_job = job;
}

void Activity::load_ends() {
  page_->loaded_job = 0;
}

void Activity::accuse_this_thread() {
  if (const JobId job = job_of_this_thread(); job != 0) page_->accused_job = job;
}

std::optional<Activity::Step> Activity::step() const {
  const JobId job = page_->step_job;
  if (job == 0) return std::nullopt;
  return Step{job, static_cast<int>(page_->step_batch_size), from_ns(page_->step_since_ns)};
}

std::optional<JobId> Activity::culprit() const {
  for (const JobId job : {page_->accused_job.load(), page_->step_job.load(), page_->loaded_job.load()}) {
    if (job != 0) return job;
  }
  return std::nullopt;
}

// ---- crashes ----

namespace {

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::atomic<Activity*> reported_to{nullptr};

// The handler is gone once it is called, so that whatever raised the signal raises it again.
void accuse(int signal) {
  reported_to.load()->accuse_this_thread();
  ::raise(signal);
}

}  // namespace

void report_crashes_to(Activity& activity) {
  reported_to = &activity;
  struct sigaction action {};
  action.sa_handler = accuse;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kFatalSignals)
    ::sigaction(signal, &action, nullptr);
}

}  // namespace fulcrum::worker
