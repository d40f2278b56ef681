#include "eval/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <thread>

#include "common/suggest.h"
#include "eval/evaluation.h"
#include "eval/other_workloads.h"
#include "eval/policy.h"
#include "eval/policy_gain.h"
#include "eval/progress.h"
#include "eval/summary.h"
#include "eval/table_source.h"
#include "eval/visits.h"
#include "powermode/board_catalogue.h"

namespace fulcrum::eval {

using scheduler::ProblemKind;

namespace {

constexpr double kMostProblems = 5e6;
constexpr ProblemKind kKinds[] = {ProblemKind::train, ProblemKind::infer, ProblemKind::concurrent};

Expected<void> check_numbers(const RunOptions& options) {
  for (const double sigma : {options.noise_time, options.noise_power}) {
    if (sigma >= 0 && sigma < 1) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("a noise of {:g} is not a fraction from 0 to below 1", sigma), "3 % are 0.03");
  }
  if (options.sample > 0 && options.sample <= 1) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("a sample of {:g} is not a part above 0, up to 1", options.sample), "10 % are 0.1");
}

// The vendor's presets; what they do not cap is as high as it goes.
std::vector<PowerMode> presets_of(const BoardDescription& description) {
  constexpr auto kUncapped = std::numeric_limits<std::int64_t>::max();
  std::vector<PowerMode> modes;
  modes.reserve(description.presets.size());
  for (const auto& preset : description.presets) {
    modes.push_back({preset.cpu_cores.value_or(std::numeric_limits<int>::max()),
                     preset.cpu_khz.value_or(kUncapped), preset.gpu_hz.value_or(kUncapped),
                     preset.emc_hz.value_or(kUncapped)});
  }
  return modes;
}

// Each once.
Expected<std::vector<scheduler::Policy>> policies_of(const RunOptions& options) {
  std::vector<scheduler::Policy> policies;
  policies.reserve(options.policies.size());
  for (const auto& name : options.policies) {
    FULCRUM_TRY_ASSIGN(policy, parse_policy(name));
    if (std::find(policies.begin(), policies.end(), policy) == policies.end()) policies.push_back(policy);
  }
  return policies;
}

// ---- which sweeps ----

class SweepMaker {
 public:
  using Priors = std::shared_ptr<const scheduler::SearchPriors>;

  SweepMaker(const RunOptions& options, const TableSource& source, Priors priors, Terminal& terminal)
      : options_(options), source_(source), priors_(std::move(priors)), terminal_(terminal) {}

  Expected<std::vector<Sweep>> make() {
    FULCRUM_TRY_ASSIGN(policies, policies_of(options_));
    std::vector<Sweep> sweeps;
    for (const auto kind : kKinds) {
      if (options_.scenario != "all" && options_.scenario != to_string(kind)) continue;
      FULCRUM_TRY_ASSIGN(budgets, budgets_of(kind));
      FULCRUM_TRY_ASSIGN(benches, benches_of(kind));
      // Without the two side by side there is nothing to share.
      const std::size_t count = kind == ProblemKind::concurrent ? policies.size() : 1;
      for (std::size_t i = 0; i < count; ++i) {
        for (const auto& bench : benches) {
          sweeps.push_back(sweep_of(bench, budgets, policies[i]));
          FULCRUM_TRY_ASSIGN(priors, priors_for(bench));
          sweeps.back().priors = std::move(priors);
        }
      }
    }
    if (!sweeps.empty()) return sweeps;
    return fail(ErrorCode::not_found,
                fmt::format("{} has no tables for '{}'", source_.description(), options_.scenario));
  }

 private:
  Expected<Budgets> budgets_of(ProblemKind kind) const {
    Budgets budgets = default_budgets(kind);
    const std::pair<const std::string*, Range*> given[] = {{&options_.power, &budgets.power_w},
                                                           {&options_.latency_ms, &budgets.latency_ms},
                                                           {&options_.rate, &budgets.rate_hz}};
    for (const auto& [text, range] : given) {
      if (text->empty()) continue;
      FULCRUM_TRY_ASSIGN(parsed, Range::parse(*text));
      *range = parsed;
    }
    if (budgets.problems() > kMostProblems) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{:.0f} problems for each workload are more than {:.0f}", budgets.problems(),
                              kMostProblems));
    }
    return budgets;
  }

  Expected<std::vector<std::string>> workloads(WorkloadTask task) const {
    const auto known = source_.workloads(task);
    const auto& asked = task == WorkloadTask::training ? options_.train : options_.infer;
    for (const auto& name : asked) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return fail(ErrorCode::invalid_argument,
                  fmt::format("no table for {} of '{}' in {}", to_string(task), name, source_.description()),
                  did_you_mean(name, known));
    }
    return asked.empty() ? known : asked;
  }

  Expected<const Table*> table(const std::string& workload, WorkloadTask task) {
    const auto key = std::make_pair(task, workload);
    const auto known = tables_.find(key);
    if (known != tables_.end()) return &known->second;
    FULCRUM_TRY_ASSIGN(read, source_.table(workload, task));
    if (read.gaps() > 0) {
      terminal_.err << fmt::format(
          "fulcrum-eval: warning: the table for {} of '{}' lacks {} rows of its grid; a search that asks "
          "for one of them ends there\n",
          to_string(task), workload, read.gaps());
    }
    return &tables_.emplace(key, std::move(read)).first->second;
  }

  Expected<std::vector<Bench>> benches_of(ProblemKind kind) {
    const std::vector<std::string> none{""};
    std::vector<std::string> train = none, infer = none;
    if (kind != ProblemKind::infer) {
      FULCRUM_TRY_ASSIGN(names, workloads(WorkloadTask::training));
      train = names;
    }
    if (kind != ProblemKind::train) {
      FULCRUM_TRY_ASSIGN(names, workloads(WorkloadTask::inference));
      infer = names;
    }
    const auto grid = options_.grid == "full" ? GridChoice::full : GridChoice::search;
    std::vector<Bench> benches;
    for (const auto& trained : train) {
      for (const auto& served : infer) {
        const Table* training = nullptr;
        const Table* inference = nullptr;
        if (!trained.empty()) {
          FULCRUM_TRY_ASSIGN(found, table(trained, WorkloadTask::training));
          training = found;
        }
        if (!served.empty()) {
          FULCRUM_TRY_ASSIGN(found, table(served, WorkloadTask::inference));
          inference = found;
        }
        FULCRUM_TRY_ASSIGN(bench, make_bench(kind, grid, training, inference));
        benches.push_back(std::move(bench));
      }
    }
    return benches;
  }

  Expected<Priors> priors_for(const Bench& bench) const {
    if (options_.learn == 0) return priors_;
    FULCRUM_TRY_ASSIGN(others, profiles_of_others(source_, bench, options_.learn, options_.seed));
    return scheduler::learned_priors(priors_, others, {options_.noise_time, options_.noise_power});
  }

  Sweep sweep_of(Bench bench, const Budgets& budgets, scheduler::Policy policy) const {
    const auto all = problems_of(bench, budgets, policy);
    Sweep sweep{std::move(bench), {}, {}};
    for (const auto number : sampled(all.size(), options_.sample, options_.seed))
      sweep.problems.push_back(all[number]);
    return sweep;
  }

  const RunOptions& options_;
  const TableSource& source_;
  Priors priors_;
  Terminal& terminal_;
  std::map<std::pair<WorkloadTask, std::string>, Table> tables_;
};

template <class T>
Json list_of(const std::vector<T>& rows) {
  Json list = Json::array();
  for (const auto& row : rows)
    list.push_back(row.to_json());
  return list;
}

Json to_json(const RunOptions& options, const std::string& source, const std::vector<Summary>& summaries,
             const std::vector<PolicyGain>& gains) {
  return {{"tables", source},
          {"grid", options.grid},
          {"policies", options.policies},
          {"sample", options.sample},
          {"seed", options.seed},
          {"noise_time", options.noise_time},
          {"noise_power", options.noise_power},
          {"warm", options.warm},
          {"learn", options.learn},
          {"summary", list_of(summaries)},
          {"slack_over_managed", list_of(gains)}};
}

// Each once, by its full name.
Expected<std::vector<std::string>> strategies_of(const RunOptions& options,
                                                 const scheduler::StrategyTools& tools) {
  std::vector<std::string> names;
  names.reserve(options.strategies.size());
  for (const auto& name : options.strategies) {
    FULCRUM_TRY_ASSIGN(strategy, scheduler::make_strategy(name, tools));
    const std::string full(strategy->name());
    if (std::find(names.begin(), names.end(), full) == names.end()) names.push_back(full);
  }
  return names;
}

// Before the work, which may take long. An empty path: no file.
Expected<void> create(const std::string& path, std::ofstream& file) {
  if (path.empty()) return {};
  file.open(path);
  if (!file) return fail_errno(errno, fmt::format("creating '{}'", path));
  return {};
}

Expected<void> finish_file(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) return fail_errno(errno, fmt::format("writing '{}'", path));
  return {};
}

}  // namespace

Expected<void> run_strategies(const RunOptions& options, Terminal& terminal,
                              std::shared_ptr<const scheduler::Learner> learner) {
  FULCRUM_TRY(check_numbers(options));
  FULCRUM_TRY_ASSIGN(source, open_tables(options.tables, options.board, options.grid == "full"));
  Evaluation evaluation;
  FULCRUM_TRY_ASSIGN(board, builtin_board_description(options.board));
  evaluation.tools.priors = scheduler::priors_of_board(board.id, board.power.idle_w, board.power.most_w);
  FULCRUM_TRY_ASSIGN(sweeps, SweepMaker(options, *source, evaluation.tools.priors, terminal).make());
  evaluation.sweeps = std::move(sweeps);
  evaluation.tools.seed = options.seed;
  evaluation.tools.presets = presets_of(board);
  evaluation.tools.learner = std::move(learner);
  FULCRUM_TRY_ASSIGN(strategies, strategies_of(options, evaluation.tools));
  evaluation.strategies = std::move(strategies);
  evaluation.noise = {options.noise_time, options.noise_power, options.seed};
  evaluation.warm = options.warm;
  evaluation.seed = options.seed;
  evaluation.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  std::ofstream file, visits;
  FULCRUM_TRY(create(options.out, file));
  FULCRUM_TRY(create(options.visits, visits));
  std::optional<ProgressBar> bar;
  if (terminal.shows_progress) {
    bar.emplace(terminal.err);
    evaluation.progress = [&bar](std::size_t done, std::size_t all) { bar->show(done, all); };
  }
  FULCRUM_TRY_ASSIGN(results, evaluate(evaluation));
  bar.reset();
  if (!options.out.empty()) {
    write_results(file, results);
    FULCRUM_TRY(finish_file(file, options.out));
  }
  if (!options.visits.empty()) {
    write_visits(visits, visits_in(results));
    FULCRUM_TRY(finish_file(visits, options.visits));
  }
  const auto summaries = summarize(results);
  const auto gains = policy_gains(results);
  terminal.out << (options.json ? to_json(options, source->description(), summaries, gains).dump(2) + "\n"
                                : render(summaries) + render(gains));
  return {};
}

}  // namespace fulcrum::eval
