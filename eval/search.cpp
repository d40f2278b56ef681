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

constexpr std::uint64_t kMostRepeats = 16;  // of one measurement, within one search

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A search that asks for more than the whole table, each row three times, would not stop by itself.
std::size_t most_profiles(const Bench& bench) {
  std::size_t per_mode = 0;
  for (const auto* table : {&bench.training, &bench.inference})
    per_mode += *table ? (*table)->batch_sizes().size() : 0;
  return 3 * per_mode * bench.grid.size();
}

// What a strategy is told: how large the noise is, and how much was known before.
Problem as_searched(const Problem& problem, const Noise& noise, std::size_t profiles_at_start) {
  Problem told = problem;
  told.noise = {noise.time, noise.power};
  told.profiles_at_start = profiles_at_start;
  return told;
}

}  // namespace

SearchLog run_search(const scheduler::Strategy& strategy, const Problem& asked, const Bench& bench,
                     const Noise& noise, std::uint64_t repetition, ProfileSet& known) {
  SearchLog log;
  const Problem problem = as_searched(asked, noise, known.size());
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
    const auto* before = known.find(probe->task, probe->mode, probe->batch_size);
    const auto times = static_cast<std::uint64_t>(before != nullptr ? before->measurements : 0);
    if (!known.pool(noise.measured(workload, *exact, repetition * kMostRepeats + times))) break;
    ++log.profiles;
    modes.insert(probe->mode);
    log.measured.push_back(*probe);
  }
  log.modes = static_cast<int>(modes.size());
  return log;
}

SearchLog run_exhaustive_search(const Problem& asked, const Bench& measured, const Noise& noise,
                                const Oracle& oracle) {
  SearchLog log;
  const Problem problem = as_searched(asked, noise, 0);
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
