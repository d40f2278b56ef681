#include "eval/visits.h"

#include <map>
#include <tuple>

#include "eval/csv_row.h"

namespace fulcrum::eval {

namespace {

constexpr const char* kVisitHeader =
    "scenario,policy,train_workload,infer_workload,strategy,task,cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,"
    "times";

Visit read_visit(RowReader& row) {
  Visit visit;
  visit.scenario = row.text();
  visit.policy = row.text();
  visit.train_workload = row.text();
  visit.infer_workload = row.text();
  visit.strategy = row.text();
  visit.measured.task =
      row.parsed([](std::string_view name) { return parse_workload_task(std::string(name)); })
          .value_or(WorkloadTask::training);
  visit.measured.mode = row.mode();
  visit.measured.batch_size = row.number<int>();
  visit.times = row.number<int>();
  return visit;
}

}  // namespace

std::vector<Visit> visits_in(const std::vector<Result>& results) {
  using Sweep = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  using Place = std::tuple<WorkloadTask, PowerMode, int>;
  std::map<std::pair<Sweep, Place>, int> times;
  for (const auto& r : results) {
    const Sweep sweep{r.scenario, r.policy, r.train_workload, r.infer_workload, r.strategy};
    for (const auto& m : r.measured)
      ++times[{sweep, {m.task, m.mode, m.batch_size}}];
  }
  std::vector<Visit> visits;
  visits.reserve(times.size());
  for (const auto& [key, count] : times) {
    const auto& [scenario, policy, train, infer, strategy] = key.first;
    const auto& [task, mode, batch] = key.second;
    visits.push_back({scenario, policy, train, infer, strategy, {task, mode, batch}, count});
  }
  return visits;
}

void write_visits(std::ostream& out, const std::vector<Visit>& visits) {
  out << kVisitHeader << '\n';
  for (const auto& visit : visits) {
    RowWriter row;
    row.text(visit.scenario);
    row.text(visit.policy);
    row.text(visit.train_workload);
    row.text(visit.infer_workload);
    row.text(visit.strategy);
    row.text(to_string(visit.measured.task));
    row.mode(visit.measured.mode);
    row.whole(visit.measured.batch_size);
    row.whole(visit.times);
    out << row.row() << '\n';
  }
}

Expected<std::vector<Visit>> read_visits(const std::string& path) {
  return read_csv<Visit>(path, kVisitHeader, "visits are what 'fulcrum-eval run --visits' writes",
                         read_visit);
}

}  // namespace fulcrum::eval
