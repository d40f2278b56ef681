#include "scheduler/gmd_walk.h"

#include <algorithm>
#include <cmath>

#include "scheduler/level_range.h"

namespace fulcrum::scheduler {

namespace {

constexpr int kMostRounds = 15;
constexpr Dimension kCoresFirst[] = {Dimension::cpu_cores, Dimension::gpu_hz, Dimension::cpu_khz,
                                     Dimension::emc_hz};
using Level = PerDimension<std::size_t>;

double power_w(const Visit& visit) {
  const double training = visit.training != nullptr ? visit.training->power_w : 0;
  const double inference = visit.inference != nullptr ? visit.inference->power_w : 0;
  return std::max(training, inference);
}

// Two modes that differ in one dimension, for its slope.
struct Pair {
  Visit first;
  Visit second;
};

class Walk {
 public:
  Walk(const Problem& problem, const GmdRules& rules, ProfilePath& path)
      : problem_(problem), rules_(rules), path_(path) {}

  std::vector<Visit> run() {
    if (begin()) {
      for (int round = 0; round < kMostRounds && take_step(); ++round) {
      }
    }
    return std::move(visits_);
  }

 private:
  // The middle, and one mode away from it in each dimension. False: the path has ended.
  bool begin() {
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const std::size_t levels = problem_.grid.levels(static_cast<Dimension>(d)).size();
      level_[d] = (levels - 1) / 2;
      remaining_[d] = LevelRange::of(levels);
    }
    const auto middle = visit(level_);
    if (!middle) return false;
    current_ = *middle;
    const bool over = !problem_.inside_power(power_w(*middle));
    for (const Dimension dimension : kCoresFirst) {
      const std::size_t d = index(dimension);
      Level extreme = level_;
      extreme[d] = over ? remaining_[d].first : remaining_[d].last;
      const auto other = visit(extreme);
      if (!other) return false;
      pairs_[d] = {*middle, *other};
    }
    return true;
  }

  // False: no dimension is worth a step, or the path has ended.
  bool take_step() {
    const auto dimension = steepest();
    if (!dimension) return false;
    const std::size_t d = index(*dimension);
    const bool before_inside = problem_.inside_power(power_w(current_));
    level_[d] = remaining_[d].narrow(level_[d], before_inside);
    const auto now = visit(level_);
    if (!now) return false;
    const bool inside = rules_.pair_by_power_before ? before_inside : problem_.inside_power(power_w(*now));
    (inside ? pairs_[d].second : pairs_[d].first) = *now;
    current_ = *now;
    return true;
  }

  std::optional<Dimension> steepest() const {
    std::optional<Dimension> best;
    double best_score = 0;
    for (const Dimension dimension : kCoresFirst) {
      if (remaining_[index(dimension)].frozen) continue;
      const double score = slope(pairs_[index(dimension)]);
      if (score > best_score) {
        best_score = score;
        best = dimension;
      }
    }
    return best;
  }

  // |dt/dP|, of the workload that draws more in the current mode.
  double slope(const Pair& pair) const {
    const bool of_training =
        current_.inference == nullptr ||
        (current_.training != nullptr && current_.training->power_w >= current_.inference->power_w);
    const auto member = of_training ? &Visit::training : &Visit::inference;
    const Profile& a = *(pair.first.*member);
    const Profile& b = *(pair.second.*member);
    const double power_change_w = std::abs(a.power_w - b.power_w);
    if (power_change_w < rules_.least_power_w) return 0;
    return std::abs(problem_.time_ms(a) - problem_.time_ms(b)) / power_change_w;
  }

  std::optional<Visit> visit(const Level& level) {
    Visit v;
    v.mode = problem_.grid.mode_at(level);
    if (rules_.trains) v.training = path_.training_at(v.mode);
    if (rules_.inference_batch > 0)
      v.inference = path_.at(WorkloadTask::inference, v.mode, rules_.inference_batch);
    if (path_.ended()) return std::nullopt;
    const auto same = [&v](const Visit& other) { return other.mode == v.mode; };
    if (std::none_of(visits_.begin(), visits_.end(), same)) visits_.push_back(v);
    return v;
  }

  const Problem& problem_;
  const GmdRules& rules_;
  ProfilePath& path_;
  Level level_{};
  PerDimension<LevelRange> remaining_{};
  PerDimension<Pair> pairs_{};
  Visit current_;
  std::vector<Visit> visits_;
};

}  // namespace

std::vector<Visit> gmd_walk(const Problem& problem, const GmdRules& rules, ProfilePath& path) {
  return Walk(problem, rules, path).run();
}

}  // namespace fulcrum::scheduler
