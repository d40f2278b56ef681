#include "eval/other_workloads.h"

#include <algorithm>
#include <map>

#include "eval/sweep.h"

namespace fulcrum::eval {

Expected<std::vector<scheduler::ProfileSet>> profiles_of_others(const TableSource& source, const Bench& bench,
                                                                std::size_t count, std::uint64_t seed) {
  std::map<std::string, scheduler::ProfileSet> others;
  for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
    for (const auto& name : source.workloads(task)) {
      if (name == bench.train_workload() || name == bench.infer_workload()) continue;
      FULCRUM_TRY_ASSIGN(table, source.table(name, task));
      const auto& rows = table.rows();
      const double part = std::min(1.0, static_cast<double>(count) / static_cast<double>(rows.size()));
      for (const auto number : sampled(rows.size(), part, seed))
        FULCRUM_TRY(others[name].add(rows[number]));
    }
  }
  std::vector<scheduler::ProfileSet> sets;
  sets.reserve(others.size());
  for (auto& [name, profiles] : others)
    sets.push_back(std::move(profiles));
  return sets;
}

}  // namespace fulcrum::eval
