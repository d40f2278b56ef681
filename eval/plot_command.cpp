#include "eval/plot_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "common/durable_file.h"
#include "eval/bench.h"
#include "eval/plots.h"
#include "eval/table_source.h"
#include "eval/visits.h"

namespace fulcrum::eval {

namespace {

// Scenario, policy, training and inference workload.
using Key = std::tuple<std::string, std::string, std::string, std::string>;
using Groups = std::map<Key, std::vector<Result>>;

class Plotter {
 public:
  Plotter(const PlotOptions& options, const TableSource& source, std::vector<Visit> visits,
          Terminal& terminal)
      : options_(options), source_(source), visits_(std::move(visits)), terminal_(terminal) {}

  Expected<void> plot(const std::vector<Result>& results) {
    strategies_ = strategies_in(results);
    Groups by_scenario, by_workload;
    for (const auto& r : results) {
      by_scenario[{r.scenario, r.policy, "", ""}].push_back(r);
      by_workload[{r.scenario, r.policy, r.train_workload, r.infer_workload}].push_back(r);
    }
    for (const auto& [key, group] : by_scenario) {
      const auto name = fmt::format("losses-{}-{}.svg", std::get<0>(key), std::get<1>(key));
      FULCRUM_TRY(write(name, plot_losses(group, strategies_)));
    }
    for (const auto& [key, group] : by_workload)
      FULCRUM_TRY(plot_workload(group));
    return {};
  }

 private:
  // Where training is in it, by the training table, at its batch size; else by the inference table, at each
  // batch size that was answered.
  Expected<void> plot_workload(const std::vector<Result>& results) {
    const auto& any = results.front();
    const bool trains = !any.train_workload.empty();
    const auto task = trains ? WorkloadTask::training : WorkloadTask::inference;
    const auto& workload = trains ? any.train_workload : any.infer_workload;
    const auto known = source_.workloads(task);
    if (std::find(known.begin(), known.end(), workload) == known.end()) {
      return fail(ErrorCode::not_found, fmt::format("the results have '{}', and {} has no table for its {}",
                                                    workload, source_.description(), to_string(task)));
    }
    FULCRUM_TRY_ASSIGN(table, source_.table(workload, task));
    if (options_.grid != "full") table = table.on(thinned(table.grid()));
    if (trains) return plot_answers(table, table.batch_sizes().front(), results);
    std::map<int, std::vector<Result>> by_batch;
    for (const auto& result : results) {
      if (result.answer) by_batch[result.answer->batch_size].push_back(result);
    }
    for (const auto& [batch, answered] : by_batch)
      FULCRUM_TRY(plot_answers(table, batch, answered));
    return {};
  }

  Expected<void> plot_answers(const Table& table, int batch, const std::vector<Result>& results) {
    const auto& any = results.front();
    std::string name = fmt::format("front-{}-{}", any.scenario, table.workload());
    std::string title = fmt::format("{} of {} at batch {}", to_string(table.task()), table.workload(), batch);
    if (any.scenario == "concurrent") {
      name += fmt::format("-{}-{}", any.infer_workload, any.policy);
      title += fmt::format(" beside {} (policy {})", any.infer_workload, any.policy);
    }
    if (table.task() == WorkloadTask::inference) name += fmt::format("-batch-{}", batch);
    return write(name + ".svg", plot_front(table, batch, results, visits_of(any), strategies_, title));
  }

  std::vector<Visit> visits_of(const Result& r) const {
    std::vector<Visit> some;
    std::copy_if(visits_.begin(), visits_.end(), std::back_inserter(some), [&r](const Visit& v) {
      return std::tie(v.scenario, v.policy, v.train_workload, v.infer_workload) ==
             std::tie(r.scenario, r.policy, r.train_workload, r.infer_workload);
    });
    return some;
  }

  Expected<void> write(const std::string& name, const std::string& picture) {
    const std::string path = options_.out + "/" + name;
    FULCRUM_TRY(replace_file(path, picture, Durability::atomic));
    terminal_.out << path << "\n";
    return {};
  }

  const PlotOptions& options_;
  const TableSource& source_;
  std::vector<Visit> visits_;
  Terminal& terminal_;
  std::vector<std::string> strategies_;
};

}  // namespace

Expected<void> plot_results(const PlotOptions& options, Terminal& terminal) {
  FULCRUM_TRY_ASSIGN(results, read_results(options.results));
  if (results.empty()) return fail(ErrorCode::corrupt, fmt::format("'{}' has no results", options.results));
  std::vector<Visit> visits;
  if (!options.visits.empty()) {
    FULCRUM_TRY_ASSIGN(read, read_visits(options.visits));
    visits = std::move(read);
  }
  FULCRUM_TRY_ASSIGN(source, open_tables(options.tables, options.board, options.grid == "full"));
  FULCRUM_TRY(make_directories(options.out));
  return Plotter(options, *source, std::move(visits), terminal).plot(results);
}

}  // namespace fulcrum::eval
