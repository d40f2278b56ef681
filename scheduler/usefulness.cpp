#include "scheduler/usefulness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "scheduler/candidate.h"

namespace fulcrum::scheduler {

namespace {

constexpr std::size_t kPowerBudgets = 32;
constexpr std::size_t kRates = 8;
constexpr double kLeastShareOfCapacity = 1.0 / 16;  // of the rate that the fastest way to run can serve
constexpr double kMostShareOfCapacity = 0.95;
// What is unknown beside the ensemble's disagreement; of logarithms.
constexpr double kTimeDoubt = 0.08;
constexpr double kPowerDoubt = 0.035;
// Ways that are worse in everything than so many others are left out.
constexpr int kLayers = 6;
// What an answer without any training is worth, in shares of the best; and how late none at all is, in
// windows of the largest batch.
constexpr double kAnswerWorth = 0.5;
constexpr double kNoAnswerWindows = 2;
constexpr double kLeastGain = 1e-9;
constexpr double kLeastChance = 1e-4;
constexpr double kAnyLatencyMs = 1e9;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Gauss-Hermite: for a smooth function the mean over a normal distribution.
struct Node {
  double z;
  double weight;
};
const std::array<Node, 3> kNodes{{{-std::sqrt(3.0), 1.0 / 6}, {0, 2.0 / 3}, {std::sqrt(3.0), 1.0 / 6}}};

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// A way to run, and what it would give.
struct Way {
  std::size_t mode = 0;
  std::size_t batch = 0;  // its place among the inference batch sizes
  const GridPoint* training = nullptr;
  const GridPoint* inference = nullptr;
  double power_w = 0;  // of the two the higher

  bool measured() const {
    return (training == nullptr || training->measured) && (inference == nullptr || inference->measured);
  }
};

// Values of the problem's objective, larger is better.
class Imagined {
 public:
  explicit Imagined(const Problem& problem, double rate_hz) : problem_(problem) {
    problem_.power_budget_w.reset();
    problem_.latency_budget_ms = kAnyLatencyMs;
    problem_.arrival_rate_hz = rate_hz;
    problem_.decide_with = TimeStatistic::p50;
  }

  double value(const Way& way, int batch_size, double training_ms, double inference_ms) {
    training_.p50_ms = training_ms;
    inference_.p50_ms = inference_ms;
    inference_.batch_size = batch_size;
    const Candidate c = make_candidate(problem_, way.training != nullptr ? &training_ : nullptr,
                                       way.inference != nullptr ? &inference_ : nullptr);
    if (!c.feasible()) return kNever;
    const double value = objective(problem_, c);
    return problem_.kind == ProblemKind::infer ? -value : value;
  }

 private:
  Problem problem_;
  Profile training_;
  Profile inference_;
};

// The imagined problems of one rate and one largest batch size: one for each power budget.
struct Row {
  std::size_t rate = 0;
  std::size_t most_batch = 0;
  std::vector<double> best;   // measured or picked
  std::vector<double> scale;  // a gain counts in proportion to it; 0: nothing can be gained
};

class Usefulness {
 public:
  Usefulness(const Problem& problem, const WorkloadGrids& grids) : problem_(problem), grids_(grids) {
    for (std::size_t mode = 0; mode < problem.grid.size(); ++mode)
      add_ways(mode);
    keep_promising();
    imagine_problems();
    for (const auto& way : ways_)
      value_.push_back(values(way));
    judge_rows();
  }

  std::vector<Measure> pick(std::size_t probes) {
    std::vector<Measure> picks;
    while (picks.size() < probes) {
      const auto next = best_way(probes - picks.size());
      if (!next) break;
      take(*next, picks);
    }
    return picks;
  }

 private:
  // Of one way: for each rate the values at the nodes of its times, and with the times as learned.
  struct Values {
    std::vector<double> weights;
    std::vector<std::vector<double>> at_nodes;  // per rate
    std::vector<double> mean;                   // per rate
    std::vector<double> chance;                 // per power budget: that it is kept
  };

  int batch_size(const Way& way) const {
    return way.inference != nullptr ? grids_.inference.batch_sizes[way.batch] : 0;
  }

  void add_ways(std::size_t mode) {
    Way way;
    way.mode = mode;
    if (problem_.trains()) {
      way.training = &grids_.training.at(mode, 0);
      way.power_w = way.training->power_w;
    }
    if (!problem_.infers()) {
      ways_.push_back(way);
      return;
    }
    const double training_w = way.power_w;
    for (way.batch = 0; way.batch < grids_.inference.batch_sizes.size(); ++way.batch) {
      way.inference = &grids_.inference.at(mode, way.batch);
      way.power_w = std::max(training_w, way.inference->power_w);
      ways_.push_back(way);
    }
  }

  static std::tuple<double, double, double> costs(const Way& way) {
    return {way.power_w, way.training != nullptr ? way.training->time_ms : 0,
            way.inference != nullptr ? way.inference->time_ms : 0};
  }

  void keep_promising() {
    std::vector<Way> kept;
    for (const auto& way : ways_) {
      const auto own = costs(way);
      int better = 0;
      for (const auto& other : ways_) {
        if (other.batch != way.batch) continue;
        const auto its = costs(other);
        if (its == own) continue;
        better += int{std::get<0>(its) <= std::get<0>(own) && std::get<1>(its) <= std::get<1>(own) &&
                      std::get<2>(its) <= std::get<2>(own)};
        if (better >= kLayers) break;
      }
      if (better < kLayers || way.measured()) kept.push_back(way);
    }
    ways_ = std::move(kept);
  }

  void imagine_problems() {
    double least_w = std::numeric_limits<double>::infinity();
    double most_w = 0;
    double capacity_hz = 0;
    for (const auto& way : ways_) {
      least_w = std::min(least_w, way.power_w);
      most_w = std::max(most_w, way.power_w);
      if (way.inference != nullptr)
        capacity_hz = std::max(capacity_hz, 1000.0 * batch_size(way) / way.inference->time_ms);
    }
    for (std::size_t i = 0; i < kPowerBudgets; ++i)
      budgets_w_.push_back(least_w + (most_w - least_w) * static_cast<double>(i) / (kPowerBudgets - 1));
    if (!problem_.infers()) {
      rates_hz_ = {1};
      rows_ = {{0, 0, {}, {}}};
      return;
    }
    const double step = std::log(kMostShareOfCapacity / kLeastShareOfCapacity) / (kRates - 1);
    for (std::size_t i = 0; i < kRates; ++i)
      rates_hz_.push_back(capacity_hz * kLeastShareOfCapacity * std::exp(step * static_cast<double>(i)));
    const std::size_t sizes = grids_.inference.batch_sizes.size();
    // For infer a tighter latency budget changes no answer, it only takes it away.
    const std::size_t first = problem_.trains() ? 0 : sizes - 1;
    for (std::size_t rate = 0; rate < kRates; ++rate) {
      for (std::size_t most = first; most < sizes; ++most)
        rows_.push_back({rate, most, {}, {}});
    }
  }

  Values values(const Way& way) const {
    Values v;
    const auto nodes_of = [](const GridPoint* point) {
      if (point == nullptr || point->measured) return std::vector<Node>{{0, 1}};
      return std::vector<Node>(kNodes.begin(), kNodes.end());
    };
    const auto training_nodes = nodes_of(way.training);
    const auto inference_nodes = nodes_of(way.inference);
    for (const auto& a : training_nodes) {
      for (const auto& b : inference_nodes)
        v.weights.push_back(a.weight * b.weight);
    }
    const auto time_ms = [](const GridPoint* point, double z) {
      return point == nullptr ? 0.0
                              : point->time_ms * std::exp(z * std::hypot(point->time_spread, kTimeDoubt));
    };
    for (const double rate : rates_hz_) {
      Imagined imagined(problem_, rate);
      std::vector<double> at_nodes;
      at_nodes.reserve(v.weights.size());
      for (const auto& a : training_nodes) {
        for (const auto& b : inference_nodes)
          at_nodes.push_back(
              imagined.value(way, batch_size(way), time_ms(way.training, a.z), time_ms(way.inference, b.z)));
      }
      v.at_nodes.push_back(std::move(at_nodes));
      v.mean.push_back(
          imagined.value(way, batch_size(way), time_ms(way.training, 0), time_ms(way.inference, 0)));
    }
    for (const double budget_w : budgets_w_)
      v.chance.push_back(chance_inside(way.training, budget_w) * chance_inside(way.inference, budget_w));
    return v;
  }

  static double chance_inside(const GridPoint* point, double budget_w) {
    if (point == nullptr) return 1;
    if (point->measured) return point->power_w <= budget_w ? 1 : 0;
    return normal_cdf(std::log(budget_w / point->power_w) / std::hypot(point->power_spread, kPowerDoubt));
  }

  // What each imagined problem has for an answer, and what it could have.
  void judge_rows() {
    for (auto& row : rows_) {
      std::vector<double> possible(kPowerBudgets, kNever);
      row.best.assign(kPowerBudgets, kNever);
      for (std::size_t i = 0; i < ways_.size(); ++i) {
        raise(possible, row, i);
        if (ways_[i].measured()) raise(row.best, row, i);
      }
      if (problem_.kind == ProblemKind::infer) {
        const double none =
            -kNoAnswerWindows * 1000 * grids_.inference.batch_sizes[row.most_batch] / rates_hz_[row.rate];
        for (std::size_t p = 0; p < kPowerBudgets; ++p) {
          row.best[p] = std::max(row.best[p], none);
          row.scale.push_back(-std::max(possible[p], none));
        }
        continue;
      }
      const double most = std::max(0.0, possible.back());
      for (std::size_t p = 0; p < kPowerBudgets; ++p) {
        const double scale = possible[p] > 0 ? possible[p] : most;
        row.best[p] = std::max(row.best[p], -kAnswerWorth * scale);
        row.scale.push_back(scale);
      }
    }
  }

  // By a way whose numbers are what they are learned to be.
  void raise(std::vector<double>& best, const Row& row, std::size_t way) const {
    if (ways_[way].batch > row.most_batch) return;
    for (std::size_t p = 0; p < kPowerBudgets; ++p) {
      if (ways_[way].power_w <= budgets_w_[p]) best[p] = std::max(best[p], value_[way].mean[row.rate]);
    }
  }

  double gain(std::size_t way) const {
    const Values& v = value_[way];
    double sum = 0;
    for (const auto& row : rows_) {
      if (ways_[way].batch > row.most_batch) continue;
      const auto& at_nodes = v.at_nodes[row.rate];
      for (std::size_t p = 0; p < kPowerBudgets; ++p) {
        if (v.chance[p] < kLeastChance || row.scale[p] <= 0) continue;
        double more = 0;
        for (std::size_t node = 0; node < at_nodes.size(); ++node)
          more += v.weights[node] * std::max(0.0, at_nodes[node] - row.best[p]);
        sum += v.chance[p] * more / row.scale[p];
      }
    }
    return sum;
  }

  Measure training_of(const Way& way) const {
    return {WorkloadTask::training, problem_.grid.mode(way.mode), problem_.training_batch_size};
  }
  Measure inference_of(const Way& way) const {
    return {WorkloadTask::inference, problem_.grid.mode(way.mode), batch_size(way)};
  }

  bool wants_training(const Way& way) const {
    return way.training != nullptr && !way.training->measured && trained_.count(way.mode) == 0;
  }
  bool wants_inference(const Way& way) const {
    return way.inference != nullptr && !way.inference->measured &&
           inferred_.count({way.mode, way.batch}) == 0;
  }

  std::optional<std::size_t> best_way(std::size_t probes_left) const {
    std::optional<std::size_t> best;
    double most = kLeastGain;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const std::size_t price =
          std::size_t{wants_training(ways_[i])} + std::size_t{wants_inference(ways_[i])};
      if (price == 0 || price > probes_left) continue;
      const double worth = gain(i) / static_cast<double>(price);
      if (worth > most) {
        most = worth;
        best = i;
      }
    }
    return best;
  }

  void take(std::size_t number, std::vector<Measure>& picks) {
    const Way& way = ways_[number];
    if (wants_training(way)) {
      picks.push_back(training_of(way));
      trained_.insert(way.mode);
    }
    if (wants_inference(way)) {
      picks.push_back(inference_of(way));
      inferred_.insert({way.mode, way.batch});
    }
    for (auto& row : rows_)
      raise(row.best, row, number);
  }

  const Problem& problem_;
  const WorkloadGrids& grids_;
  std::vector<Way> ways_;
  std::vector<double> budgets_w_;
  std::vector<double> rates_hz_;
  std::vector<Row> rows_;
  std::vector<Values> value_;
  std::set<std::size_t> trained_;  // picked
  std::set<std::pair<std::size_t, std::size_t>> inferred_;
};

}  // namespace

std::vector<Measure> most_useful(const Problem& problem, const WorkloadGrids& grids, std::size_t probes) {
  return Usefulness(problem, grids).pick(probes);
}

}  // namespace fulcrum::scheduler
