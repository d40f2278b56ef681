#include "scheduler/rgs.h"

#include <algorithm>
#include <cmath>

#include "scheduler/acquisition.h"
#include "scheduler/candidate.h"
#include "scheduler/profile_path.h"
#include "scheduler/rgs_memory.h"

namespace fulcrum::scheduler {

namespace {

struct StopRule {
  double least_gain = 0;          // of what the best known way to run gives
  double least_gain_without = 0;  // while none is known
  double patient_probes = 0;      // from then on every further four must promise twice as much
  std::size_t most_probes = 0;
};
constexpr StopRule kTrain{.0075, 1e-3, 8, 20};
constexpr StopRule kInfer{.01, 1e-3, 8, 20};
constexpr StopRule kManaged{.006, 1e-4, 8, 28};
constexpr StopRule kSlack{.003, 1e-4, 18, 28};  // no whole minibatches: smaller gains, and more of them
constexpr double kDoubling = 4;

const StopRule& stop_rule(const Problem& problem) {
  if (problem.kind == ProblemKind::train) return kTrain;
  if (problem.kind == ProblemKind::infer) return kInfer;
  return problem.policy == Policy::managed ? kManaged : kSlack;
}

constexpr double kLeastThroughputHz = .05;  // less counts as this much, where gains are relative

// What a way to run is worth beside its training while none is known, Hz: inference alone is worth something.
constexpr double kWorthOfAny = 1;

constexpr std::size_t kMostObservations = 80;
constexpr double kHopelessChance = 1e-5;
constexpr double kProofChance = 1e-3;  // all chances are below it: what is not found is not there
constexpr double kMeasuredDeviation = 1e-3;

Belief at(const Prediction& prediction, std::size_t i) {
  const auto k = static_cast<Eigen::Index>(i);
  return {prediction.mean[k], std::sqrt(prediction.variance[k])};
}

double squared(double x) {
  return x * x;
}

// Squared distance in logarithms; batch sizes count half.
double distance(const Observation& o, const Candidate& c) {
  const auto& m = c.mode();
  const auto part = [](auto a, auto b) {
    return squared(std::log(static_cast<double>(a) / static_cast<double>(b)));
  };
  const double of_mode = part(o.mode.cpu_cores, m.cpu_cores) + part(o.mode.cpu_khz, m.cpu_khz) +
                         part(o.mode.gpu_hz, m.gpu_hz) + part(o.mode.emc_hz, m.emc_hz);
  return c.inference != nullptr ? of_mode + part(o.batch_size, c.batch_size()) / 4 : of_mode;
}

// One step of the search.
class RgsStep {
 public:
  RgsStep(const Problem& problem, const ProfileSet& profiles, RgsMemory& memory)
      : problem_(problem), profiles_(profiles), memory_(memory), rule_(stop_rule(problem)) {
    for_each_candidate(problem, profiles, [this](const Candidate& c) {
      if (c.hopeful && (!best_ || rank(problem_, c) < rank(problem_, *best_))) best_ = c;
    });
  }

  // None: nothing promises enough.
  std::optional<Measure> next() {
    if (problem_.infers()) {
      batches_ = possible_batch_sizes(problem_);
      if (batches_.empty()) return std::nullopt;
    }
    if (const auto first = first_probe()) return first;
    if (probes() >= rule_.most_probes) return std::nullopt;
    double promised = 0;
    switch (problem_.kind) {
      case ProblemKind::train:
        promised = weigh_training();
        break;
      case ProblemKind::infer:
        promised = weigh_inference();
        break;
      case ProblemKind::concurrent:
        promised = weigh_both();
        break;
    }
    return promised >= least_gain() ? favourite_ : std::nullopt;
  }

  // Of all points that could be asked for; 0 before next().
  double best_chance() const { return best_chance_; }

 private:
  std::vector<Observation> observations(WorkloadTask task) const {
    std::vector<Observation> all;
    for (auto it = profiles_.begin(task); it != profiles_.end() && it->second.task == task; ++it) {
      const auto& p = it->second;
      const bool training = task == WorkloadTask::training;
      if (training && p.batch_size != problem_.training_batch_size) continue;
      all.push_back({p.mode, training ? 1 : p.batch_size, problem_.time_ms(p), p.power_w, p.measurements});
    }
    if (all.size() > kMostObservations) keep_nearest(all);
    return all;
  }

  // To the best known way to run; without one, to the power budget.
  void keep_nearest(std::vector<Observation>& all) const {
    const auto far = [this](const Observation& o) {
      if (best_) return distance(o, *best_);
      return std::abs(std::log(o.power_w / problem_.power_budget_w.value_or(o.power_w)));
    };
    std::stable_sort(all.begin(), all.end(),
                     [&far](const Observation& a, const Observation& b) { return far(a) < far(b); });
    all.resize(kMostObservations);
  }

  std::optional<Measure> first_probe() const {
    const bool none_trained = observations(WorkloadTask::training).empty();
    const bool none_inferred = profiles_.begin(WorkloadTask::inference) == profiles_.end();
    if (problem_.trains() && none_trained) {
      const auto mode = memory_.first_mode(WorkloadTask::training, problem_.grid, 1);
      return Measure{WorkloadTask::training, mode, problem_.training_batch_size};
    }
    if (!problem_.infers() || !none_inferred) return std::nullopt;
    const bool alone = problem_.kind == ProblemKind::infer;
    const int batch = alone ? batches_.front() : batches_.back();
    // Beside training where that was begun, to have a way to run.
    const auto task = alone ? WorkloadTask::inference : WorkloadTask::training;
    return Measure{WorkloadTask::inference, memory_.first_mode(task, problem_.grid, alone ? batch : 1),
                   batch};
  }

  std::size_t probes() const {
    return profiles_.size() - std::min(profiles_.size(), problem_.profiles_at_start);
  }

  // In the unit of the weights.
  double least_gain() const {
    if (!best_) return rule_.least_gain_without;
    const double beyond = std::max(0.0, static_cast<double>(probes()) - rule_.patient_probes);
    const double unit = problem_.kind == ProblemKind::concurrent
                            ? std::max(best_->train_throughput_hz, kLeastThroughputHz)
                            : 1;
    return rule_.least_gain * std::exp2(beyond / kDoubling) * unit;
  }

  double power_chance(const Belief& power) const {
    return problem_.power_budget_w ? chance_below(power, *problem_.power_budget_w) : 1;
  }

  bool known(const Measure& m) const { return profiles_.find(m.task, m.mode, m.batch_size) != nullptr; }

  std::shared_ptr<const Expectation> expectation(WorkloadTask task) const {
    const bool training = task == WorkloadTask::training;
    return memory_.expectation(task, observations(task), problem_.noise, problem_.grid,
                               training ? std::vector<int>{1} : problem_.inference_batch_sizes);
  }

  double weigh_training() {
    const auto expected = expectation(WorkloadTask::training);
    const double slowest = expected->time.mean.maxCoeff();
    double most = 0;
    for (std::size_t i = 0; i < problem_.grid.size(); ++i) {
      const double chance = power_chance(at(expected->power, i));
      const Belief time = at(expected->time, i);
      // While nothing is feasible, what probably is; and of that, what is fast.
      const double gain = best_ ? chance * expected_saving(time, best_->train_step_ms)
                                : squared(chance) * std::max(slowest - time.mean + .3, .05);
      if (gain <= most && chance <= best_chance_) continue;
      const Measure measure{WorkloadTask::training, problem_.grid.mode(i), problem_.training_batch_size};
      if (known(measure)) continue;
      best_chance_ = std::max(best_chance_, chance);
      if (gain > most) {
        most = gain;
        favourite_ = measure;
      }
    }
    return most;
  }

  // Calls visit(mode number, batch size, number of the point) for the points that are worth a look.
  template <class Visit>
  void for_each_point(const Visit& visit) const {
    const auto& sizes = problem_.inference_batch_sizes;
    for (std::size_t mode = 0; mode < problem_.grid.size(); ++mode) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (problem_.window_ms(sizes[k]) < problem_.latency_budget_ms)
          visit(mode, sizes[k], mode * sizes.size() + k);
      }
    }
  }

  double weigh_inference() {
    const auto expected = expectation(WorkloadTask::inference);
    const double unit = best_ ? best_->latency_ms : 2 * problem_.latency_budget_ms;
    double most = 0;
    for_each_point([&](std::size_t mode, int batch, std::size_t i) {
      const double power = power_chance(at(expected->power, i));
      if (power < kHopelessChance) return;
      const Belief time = at(expected->time, i);
      const double limit = problem_.longest_inference_ms(batch);
      const double chance = power * chance_below(time, limit);
      const double window = problem_.window_ms(batch);
      const double to_beat = best_ ? best_->latency_ms : window + unit;
      const double gain = power * expected_latency_gain(time, window, limit, to_beat) / unit;
      if (gain <= most && chance <= best_chance_) return;
      const Measure measure{WorkloadTask::inference, problem_.grid.mode(mode), batch};
      if (known(measure)) return;
      best_chance_ = std::max(best_chance_, chance);
      if (gain > most) {
        most = gain;
        favourite_ = measure;
      }
    });
    return most;
  }

  // One of the two workloads at a point.
  struct Side {
    double chance = 0;  // that it keeps the budgets
    Belief time;
    bool known = false;
  };

  Side training_side(const Expectation& expected, const PowerMode& mode, std::size_t number) const {
    if (const auto* p = profiles_.find(WorkloadTask::training, mode, problem_.training_batch_size)) {
      return {problem_.inside_power(p->power_w) ? 1.0 : 0.0,
              {std::log(problem_.time_ms(*p)), kMeasuredDeviation},
              true};
    }
    return {power_chance(at(expected.power, number)), at(expected.time, number), false};
  }

  Side inference_side(const Expectation& expected, const PowerMode& mode, int batch, std::size_t i) const {
    if (const auto* p = profiles_.find(WorkloadTask::inference, mode, batch)) {
      const bool keeps = make_candidate(problem_, nullptr, p).hopeful;
      return {keeps ? 1.0 : 0.0, {std::log(problem_.time_ms(*p)), kMeasuredDeviation}, true};
    }
    const Belief time = at(expected.time, i);
    return {power_chance(at(expected.power, i)) * chance_below(time, problem_.longest_inference_ms(batch)),
            time, false};
  }

  // That a training minibatch fits between the batches of several inference jobs.
  double fitting_chance(const Side& training, const Side& inference, std::size_t point) const {
    if (!problem_.several) return 1;
    const auto& batches = problem_.several->batches;
    const double part = batches[point % batches.size()].one_of_each;
    return chance_below(training.time, problem_.longest_training_ms(part * std::exp(inference.time.mean)));
  }

  double weigh_both() {
    const auto training = expectation(WorkloadTask::training);
    const auto inference = expectation(WorkloadTask::inference);
    const double to_beat = best_ ? best_->train_throughput_hz : 0;
    double most = 0;
    for_each_point([&](std::size_t number, int batch, std::size_t i) {
      const PowerMode mode = problem_.grid.mode(number);
      const Side t = training_side(*training, mode, number);
      if (t.chance < kHopelessChance) return;
      const Side in = inference_side(*inference, mode, batch, i);
      const double chance = t.chance * in.chance;
      if (chance < kHopelessChance || (t.known && in.known)) return;
      best_chance_ = std::max(best_chance_, chance);
      const double missing = t.known || in.known ? 1 : 2;
      const double more =
          fitting_chance(t, in, i) * expected_throughput_gain(problem_, batch, t.time, in.time, to_beat);
      const double gain = chance * (more + (best_ ? 0 : kWorthOfAny)) / std::sqrt(missing);
      if (gain <= most) return;
      most = gain;
      const bool training_first = !t.known && (in.known || t.chance < in.chance);
      favourite_ = training_first ? Measure{WorkloadTask::training, mode, problem_.training_batch_size}
                                  : Measure{WorkloadTask::inference, mode, batch};
    });
    return most;
  }

  const Problem& problem_;
  const ProfileSet& profiles_;
  RgsMemory& memory_;
  const StopRule rule_;
  std::optional<Candidate> best_;  // of what is profiled
  std::vector<int> batches_;
  std::optional<Measure> favourite_;
  double best_chance_ = 0;
};

}  // namespace

Rgs::Rgs(const SearchPriors& priors) : memory_(std::make_unique<RgsMemory>(priors)) {}
Rgs::~Rgs() = default;

std::size_t Rgs::most_probes(const Problem& problem) const {
  return stop_rule(problem).most_probes;
}

Step Rgs::next(const Problem& problem, const ProfileSet& profiles) const {
  RgsStep step(problem, profiles, *memory_);
  const bool may_measure =
      !problem.max_profiles || profiles.size() < static_cast<std::size_t>(*problem.max_profiles);
  if (may_measure) {
    if (const auto measure = step.next()) return *measure;
  }
  Step end = ProfilePath(problem, profiles).conclude();
  if (auto* none = std::get_if<Infeasible>(&end))
    none->proved = none->proved || (may_measure && step.best_chance() < kProofChance);
  return end;
}

}  // namespace fulcrum::scheduler
