#include "eval/judgement.h"

#include <algorithm>

namespace fulcrum::eval {

using scheduler::Candidate;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::Profile;

namespace {

double loss_percent(const Problem& problem, const Candidate& found, const Candidate& best) {
  if (problem.kind == ProblemKind::infer) return 100 * (found.latency_ms / best.latency_ms - 1);
  return 100 * (1 - found.train_throughput_hz / best.train_throughput_hz);
}

double excess_of(const Problem& problem, const Candidate& c) {
  double most = problem.power_budget_w ? c.power_w / *problem.power_budget_w : 0;
  if (problem.infers()) {
    most = std::max(most, c.latency_ms / problem.latency_budget_ms);
    most = std::max(most, c.inference_ms / c.window_ms);
  }
  return std::max(0.0, most - 1);
}

// What the tables say of an answer; none where they have a gap.
std::optional<Candidate> in_truth(const Problem& problem, const Bench& bench,
                                  const scheduler::Choice& choice) {
  const Profile* training = nullptr;
  const Profile* inference = nullptr;
  if (problem.trains()) {
    training = bench.find(WorkloadTask::training, choice.mode, problem.training_batch_size);
    if (training == nullptr) return std::nullopt;
  }
  if (problem.infers()) {
    inference = bench.find(WorkloadTask::inference, choice.mode, choice.batch_size);
    if (inference == nullptr) return std::nullopt;
  }
  return make_candidate(problem, training, inference);
}

}  // namespace

void judge(const Problem& problem, const Bench& bench, const std::optional<Candidate>& best,
           const scheduler::Step& end, Result& result) {
  if (best) result.optimal_value = scheduler::objective(problem, *best);
  const auto* answer = std::get_if<scheduler::Answer>(&end);
  const auto found = answer != nullptr ? in_truth(problem, bench, answer->choice) : std::nullopt;
  if (!found) {
    result.status = best ? Status::missed : Status::infeasible;
    return;
  }
  result.answer =
      Answered{found->mode(),     found->batch_size(), found->training_per_window, found->train_throughput_hz,
               found->latency_ms, found->power_w};
  result.status = found->feasible() ? Status::solved : Status::violated;
  result.excess = excess_of(problem, *found);
  if (found->feasible() && best && *result.optimal_value > 0)
    result.loss_pct = loss_percent(problem, *found, *best);
}

}  // namespace fulcrum::eval
