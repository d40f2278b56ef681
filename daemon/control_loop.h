#pragma once
// The life of jobs: from the store to the worker and back, over deaths of either. Holds the board while there
// is work. How the jobs run is the pilot's to decide.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/clock.h"
#include "common/logging.h"
#include "daemon/board_keeper.h"
#include "daemon/config.h"
#include "daemon/control.h"
#include "daemon/job_progress.h"
#include "daemon/job_store.h"
#include "daemon/memory_admission.h"
#include "daemon/pilot.h"
#include "daemon/profile_book.h"
#include "daemon/served_jobs.h"
#include "daemon/slice_trace.h"
#include "daemon/submissions.h"
#include "daemon/subscriptions.h"
#include "daemon/worker_supervisor.h"

namespace fulcrum::daemon {

class ControlLoop final : public Control {
 public:
  struct Parts {
    boost::asio::io_context& io;
    const Clock& clock;
    DaemonConfig config;
    JobStore store;
    std::unique_ptr<BoardKeeper> board;
    ProfileBook profiles;
    PowerBudget budget;
    WorkerSettings worker;
    Logger log;
    std::function<void(const std::string& text)> status;  // one line: what the daemon does now
  };

  // An error when there is no way to search for a mode on this board.
  [[nodiscard]] static Expected<std::unique_ptr<ControlLoop>> make(Parts parts);

  // Takes up the jobs that had not ended, and starts the worker.
  [[nodiscard]] Expected<void> start();
  // Last checkpoints, worker down, knobs given back; then `stopped`.
  void stop(std::function<void()> stopped);

  void submit(SubmitRequest request, SubmitReply reply) override;
  Json jobs() const override;
  [[nodiscard]] Expected<Json> job(JobId id) const override;
  [[nodiscard]] Expected<Json> result(JobId id) const override;
  [[nodiscard]] Expected<Json> cancel(JobId id) override;
  Json plan() const override;
  Json explain() const override;
  Json budget() const override { return pilot_->budget(); }
  [[nodiscard]] Expected<Json> set_budget(std::optional<double> power_w) override;
  [[nodiscard]] Expected<Json> reset_budget() override;
  [[nodiscard]] Expected<Json> list_profiles(const std::optional<std::string>& workload) override;
  [[nodiscard]] Expected<Json> forget_profiles(const std::optional<std::string>& workload) override;
  [[nodiscard]] Expected<Json> explore_profiles(int probes) override;
  [[nodiscard]] Expected<Json> export_profiles(const std::optional<std::string>& workload, std::size_t offset,
                                               std::size_t limit) override;
  [[nodiscard]] Checked<Json> import_profiles(const Json& document, bool equal_board) override;
  [[nodiscard]] Expected<Json> board() const override;
  [[nodiscard]] Expected<Json> board_modes() const override;
  Json board_sensors() const override;
  [[nodiscard]] Expected<Json> board_report() const override;
  Json trace(double seconds, std::optional<std::uint64_t> from,
             std::optional<std::uint64_t> to) const override;
  [[nodiscard]] Expected<SubscriptionId> watch(std::optional<JobId> id, EventSink sink) override;
  void unwatch(SubscriptionId id) override { subscriptions_.remove(id); }

 private:
  // Where a job that has not ended stands with the worker.
  enum class Phase {
    waiting,   // the worker does not have it
    starting,  // it loads and measures
    ready,     // the pilot has it
    stopping,  // cancelled; its last words are awaited
  };
  // Of the worker, in a row.
  struct Deaths {
    int count = 0;
    bool by_its_own_work = false;  // it was the job's work that ran; else nothing is known of it
    bool from_outside = false;     // something killed it
    TimePoint last{};

    std::string to_string(const std::string& how) const;
  };
  struct ActiveJob {
    JobRecord record;
    JobSpec spec;  // with the network that it serves in place of the name of the training job
    std::optional<ServedTraining> served;
    Phase phase = Phase::waiting;
    Json resume;                  // what the worker last said it needs to go on
    std::optional<double> kappa;  // that its steps are paced with
    bool live = false;            // it has been in a plan
    Deaths deaths;
    DeviceUse device;
    std::int64_t memory_bytes = 0;  // the most that such a job has taken; 0: not known
    TimePoint stored_at{};          // when its progress was last written to the store
  };

  // jobs
  [[nodiscard]] Expected<JobId> add_job(const JobSpec& spec, const std::optional<std::string>& token);
  [[nodiscard]] Expected<void> activate(JobRecord record);
  void launch_waiting();
  bool has_memory(ActiveJob& job);
  [[nodiscard]] Expected<void> check_memory(const JobSpec& spec);
  void launch(ActiveJob& job);
  [[nodiscard]] Expected<worker::StartJob> order_to_start(const ActiveJob& job);
  void set_state(ActiveJob& job, JobState state);
  void end_job(JobId id, JobStore::End end);
  void store_progress(ActiveJob& job);
  ActiveJob* find(JobId id);

  // the worker
  void worker_up();
  void worker_down(const WorkerEnd& end);
  bool count_death(ActiveJob& job, const WorkerEnd& end);
  void forgive_deaths(ActiveJob& job) const;
  void watch_step();
  void note_answers(const worker::Load& load);
  void account_slices(const worker::Load& load);
  void take_progress(ActiveJob& job, Json progress);
  void handle(worker::FromWorker&& message);
  void handle(worker::JobReady message);
  void handle(worker::JobProgress message);
  void handle(worker::JobEnded message);

  // board and pilot
  explicit ControlLoop(Parts parts);
  Pilot::Hooks pilot_hooks();
  bool jobs_arrive();
  void job_stands(JobId id, JobState state);
  bool take_board();
  void give_board_back_if_idle();
  void tick();
  void publish(const ActiveJob& job, const char* event);
  // `detail`: in the field of the event's name.
  void publish(const ActiveJob& job, const std::string& event, Json detail);
  void check(const Expected<void>& stored, const char* doing);

  boost::asio::io_context& io_;
  const Clock& clock_;
  DaemonConfig config_;
  Logger log_;
  std::function<void(const std::string& text)> status_;
  mutable JobStore store_;
  std::unique_ptr<BoardKeeper> board_;
  ProfileBook profiles_;
  WorkerSupervisor worker_;
  Submissions submissions_;
  Subscriptions subscriptions_;
  SliceTrace trace_;
  std::map<JobId, ActiveJob> active_;
  std::unique_ptr<Pilot> pilot_;
  std::string board_trouble_;
  TimePoint board_retry_at_{};
  boost::asio::steady_timer tick_timer_;
  std::optional<TimePoint> unanswered_since_;  // the worker ended, and live jobs wait
  bool stopping_ = false;
};

}  // namespace fulcrum::daemon
