#include "eval/search.h"

#include <chrono>
#include <set>

namespace fulcrum::eval {

using scheduler::Measure;
using scheduler::Problem;
using scheduler::Profile;
using scheduler::ProfileSet;

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Strategies never ask for what is known, so that a search ends after the whole table.
std::size_t most_profiles(const Bench& bench) {
  std::size_t per_mode = 0;
  for (const auto* table : {&bench.training, &bench.inference})
    per_mode += *table ? (*table)->batch_sizes().size() : 0;
  return per_mode * bench.grid.size();
}

}  // namespace

SearchLog run_search(const scheduler::Strategy& strategy, const Problem& problem, const Bench& bench,
                     const Noise& noise, std::uint64_t repetition, ProfileSet& known) {
  SearchLog log;
  std::set<PowerMode> modes;
  const std::size_t most = most_profiles(bench);
  for (;;) {
    const auto begin = Clock::now();
    log.end = strategy.next(problem, known);
    log.deciding_ms += ms_since(begin);
    ++log.decisions;
    const auto* probe = std::get_if<Measure>(&log.end);
    const Profile* exact =
        probe != nullptr ? bench.find(probe->task, probe->mode, probe->batch_size) : nullptr;
    if (exact == nullptr || static_cast<std::size_t>(log.profiles) >= most) break;
    const bool trains = probe->task == WorkloadTask::training;
    const auto& workload = (trains ? bench.training : bench.inference)->workload();
    if (!known.add(noise.measured(workload, *exact, repetition))) break;
    ++log.profiles;
    modes.insert(probe->mode);
  }
  log.modes = static_cast<int>(modes.size());
  return log;
}

SearchLog run_exhaustive_search(const Problem& problem, const Bench& measured, const Oracle& oracle) {
  SearchLog log;
  const auto begin = Clock::now();
  const auto best = oracle.best(problem);
  log.deciding_ms = ms_since(begin);
  log.decisions = 1;
  const auto batches = problem.infers() ? scheduler::possible_batch_sizes(problem).size() : 0;
  const bool measures = !problem.infers() || batches > 0;
  log.modes = measures ? static_cast<int>(measured.grid.size()) : 0;
  log.profiles = log.modes * static_cast<int>(batches + (problem.trains() ? 1 : 0));
  if (best) {
    scheduler::Answer answer;
    answer.choice.mode = best->mode();
    answer.choice.batch_size = best->batch_size();
    log.end = answer;
  } else {
    log.end = scheduler::Infeasible{};
  }
  return log;
}

}  // namespace fulcrum::eval
