#pragma once
// Decides how the loaded jobs run: has them measured in a few modes of the board, settles in the best, and
// watches that the board keeps what was planned. In a mode that the configuration fixes it only plans.
//
// One thing happens at a time: the mode is being changed (stage), a probe runs, the worker is asked what to
// measure next, or the board is settled.
// After each the next move is thought out anew from the jobs, the budget and the profiles, so that any of
// them may change at any time, and so that a search goes on after a crash where it was.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/logging.h"
#include "daemon/board_keeper.h"
#include "daemon/config.h"
#include "daemon/deliberation.h"
#include "daemon/foreign_changes.h"
#include "daemon/job_store.h"
#include "daemon/latency_watch.h"
#include "daemon/planning.h"
#include "daemon/power_budget.h"
#include "daemon/power_watch.h"
#include "daemon/probe_run.h"
#include "daemon/profile_book.h"
#include "daemon/stage.h"

namespace fulcrum::daemon {

class Pilot {
 public:
  struct Hooks {
    Stage::Send send;
    std::function<void(const std::string& text)> status;  // one line: what happens now
    // Loads what waits to be loaded; whether anything is being loaded. Then no probe begins: it would be
    // disturbed.
    std::function<bool()> jobs_arrive;
    // How a loaded job stands: searched for, in the plan, or waiting for budgets that allow it.
    std::function<void(JobId, JobState)> state;
    std::function<void(JobId, const std::string& event, Json detail)> tell;
    std::function<void(const std::string& trouble)> trouble;  // with the board; empty: over
    std::function<void(const std::string& why)> replace_worker;
  };
  struct Parts {
    const Clock& clock;
    const DaemonConfig& config;
    Logger log;
    BoardKeeper& board;
    ProfileBook& profiles;
    PowerBudget budget;
    Hooks hooks;
  };

  [[nodiscard]] static Expected<std::unique_ptr<Pilot>> make(Parts parts);

  // The worker has loaded the job. `measured`: its step times, in a fixed mode. `live`: it was in a plan
  // before.
  void add(JobId id, const JobSpec& spec, std::vector<scheduler::StepTime> measured, bool live);
  // False if it was not there; then nothing has been thought about.
  bool remove(JobId id);
  bool has(JobId id) const { return jobs_.count(id) > 0; }
  // Something outside has changed: perhaps there is a move to make.
  void think();
  // In which jobs are loaded before anything is planned: the fixed one, or the middle of the grid, where the
  // board draws neither most nor least.
  PowerMode first_mode() const { return board_.fixed_mode().value_or(grid_.middle()); }
  // No more moves: the jobs are being brought to their end.
  void stop() { stopped_ = true; }

  // From the worker.
  void worker_holds();
  void worker_down();
  void thought(const worker::Thought& thought);
  void slices(const std::vector<worker::DeviceSlice>& slices);
  void progress(JobId id, const Json& progress, const std::vector<scheduler::StepTime>& recent);

  // The board is held: read the sensors, do what is due. To be called ten times a second, twenty while
  // probing().
  void tick();
  // A step of the job as planned or as bounds tell of its probe; none: nothing is known.
  std::optional<double> longest_step_ms(JobId id) const;
  // A probe runs: no job should be loaded now.
  bool probing() const { return probe_.has_value() || probe_begins_; }

  Json budget() const { return budget_.to_json(); }
  [[nodiscard]] Expected<void> set_budget(std::optional<double> power_w);
  [[nodiscard]] Expected<void> reset_budget();

  // Takes up to so many probes of the jobs that run, for budgets not yet set; 0 ends it. `unavailable` where
  // nothing is searched for. {"probes", "seconds_at_most"}
  [[nodiscard]] Expected<Json> explore(int probes);

  // Profiles were added or forgotten behind our back.
  void profiles_changed();

  const std::optional<scheduler::Plan>& plan() const { return plan_; }
  // Why it is as it is: the answer of plan.explain, but for the plan.
  Json explain() const;
  // invalid_argument, with the field, for a strategy that there is not, or not on this board. Every job that
  // is added, or asked about, has passed it.
  [[nodiscard]] Expected<void> check(const JobSpec& spec) const;
  // What a search for this job beside the others would cost.
  Json expected_search(const JobSpec& spec) const;

 private:
  static constexpr std::chrono::seconds kModeCheckPeriod{1};

  struct Search {
    TimePoint begun;
    int probes = 0;
    std::set<PowerMode> modes;
    bool over = false;
    double took_s = 0;
  };

  explicit Pilot(Parts parts, scheduler::ModeGrid grid, Deliberation deliberation);

  PlanningRules rules() const;
  // Of the last submitted job that names one; else as configured.
  const std::string& strategy_for(const PlannedJobs& jobs) const;
  void load_profiles(PlannedJob& job);
  void learn_from_others();
  worker::SetPlan setting(scheduler::Plan plan,
                          const std::optional<worker::ProbeOrder>& probe = std::nullopt) const;
  void clear();
  void think_again_later(Duration after);

  void settle_in_fixed_mode();
  void settle(SettleIn settled);
  void settled(SettleIn settled);
  void tell_states();
  void wait_for_arrivals();
  void use_what_is_known();
  void budget_changed();
  void board_failed(const Error& error);
  void mode_refused(const PowerMode& mode);
  void expect_hold();

  Json search_cost(const PlannedJobs& jobs) const;
  void wait_for_thought(const scheduler::Unadvised& question);
  void begin_search();
  void end_search(bool found);
  bool go_exploring();
  void begin_probe(TakeProbe probe);
  void probe_begun(const TakeProbe& probe);
  void end_probe();
  void take_over(const profiler::Measurement& measurement);
  void count_failure(JobId job, const scheduler::ProfileSet::Key& key);
  void probe_failed(JobId job, const profiler::MeasurementKey& key, const profiler::InvalidProbe& invalid);
  void cancel_probe(const std::string& why);
  void stop_probe_steps();
  void tell_probe(JobId job, const profiler::MeasurementKey& key, const char* state, Json more);

  void check_step_times(PlannedJob& job, const std::vector<scheduler::StepTime>& recent);
  void check_latency(const PlannedJob& job, const Json& progress);
  void watch(const Expected<PowerSample>& sample);
  bool is_over_budget(double mean_w) const;
  void over_budget(double mean_w);
  void check_mode();
  // False: it happens too often to be set back.
  bool note_foreign_change(const std::string& what);
  void stay_suspended();

  const Clock& clock_;
  const DaemonConfig& config_;
  Logger log_;
  BoardKeeper& board_;
  ProfileBook& profiles_;
  PowerBudget budget_;
  Hooks hooks_;
  scheduler::ModeGrid grid_;
  Deliberation deliberation_;

  PlannedJobs jobs_;
  Stage stage_;
  std::optional<scheduler::Plan> plan_;
  std::optional<scheduler::Settlement> settlement_;
  std::optional<Search> search_;

  std::optional<ProbeRun> probe_;
  double probe_foreign_load_ = 0;  // the most that others used the GPU meanwhile
  bool probe_begins_ = false;      // the stage is being set for it
  bool probe_steps_run_ = false;   // the worker runs the steps of a probe that has ended
  std::map<std::pair<JobId, scheduler::ProfileSet::Key>, int> failures_;
  Unmeasurable unmeasurable_;
  std::map<PowerMode, int> refusals_;  // by the board, of modes to settle in

  bool stopped_ = false;
  std::optional<TimePoint> think_at_;
  bool think_again_ = false;  // when the stage is set
  bool react_ = false;        // as soon as the stage is set: use what is known, before any probe

  std::map<JobId, LatencyWatch> latency_watches_;
  PowerWatch power_watch_;
  // Profiles of the jobs when the problem last changed; none: it has changed. What the searches for one
  // problem may measure is counted from there, however often step times that differ begin one anew.
  std::optional<std::size_t> known_at_start_;
  int explore_left_ = 0;  // probes, for budgets not yet set
  // By how much the board draws more than its profiles say; 1 unless that broke the budget.
  double power_factor_ = 1;
  ForeignChanges foreign_;
  std::string suspended_why_;
  TimePoint next_mode_check_{};
  TimePoint next_warning_{};  // of what may repeat every second
};

}  // namespace fulcrum::daemon
