#include "scheduler/als.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scheduler/candidate.h"
#include "scheduler/mode_sample.h"
#include "scheduler/profile_path.h"
#include "scheduler/usefulness.h"

namespace fulcrum::scheduler {

namespace {

constexpr std::size_t kMostFirstModes = 10;
constexpr std::size_t kProbesARound = 10;

// Of the profiles known those that could be this search's own: how many belong to a way to run.
std::size_t suitable(const Problem& problem, const ProfileSet& profiles) {
  std::size_t ways = 0;
  std::set<PowerMode> trained;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    ++ways;
    if (c.training != nullptr) trained.insert(c.mode());
  });
  return problem.infers() ? ways + trained.size() : ways;
}

// Training in every mode; of inference every batch size in the highest mode, which says what the board can
// serve with each, the smallest and the largest in the lowest, one in each mode between.
std::vector<Measure> first_probes(const Problem& problem, std::size_t most, std::uint64_t seed) {
  Dice dice(seed);
  const std::size_t a_mode = problem.kind == ProblemKind::concurrent ? 2 : 1;
  const std::size_t count = std::clamp<std::size_t>(most / 2 / a_mode, 1, kMostFirstModes);
  const auto modes = spread_modes(problem.grid, count, dice);
  std::vector<Measure> probes;
  const auto& sizes = problem.inference_batch_sizes;
  const auto places = problem.infers() ? dice.even(sizes.size(), modes.size()) : std::vector<std::size_t>{};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (problem.trains()) probes.push_back({WorkloadTask::training, modes[i], problem.training_batch_size});
    if (!problem.infers()) continue;
    for (std::size_t place = 0; place < sizes.size(); ++place) {
      const bool at_an_end = place == 0 || place + 1 == sizes.size();
      if (i == 0 || (i == 1 ? at_an_end : place == places[i]))
        probes.push_back({WorkloadTask::inference, modes[i], sizes[place]});
    }
  }
  return probes;
}

void append(std::vector<double>& key, const std::vector<Profile>& rows) {
  key.push_back(static_cast<double>(rows.size()));
  for (const auto& row : rows) {
    for (const double value : {static_cast<double>(row.mode.cpu_cores), static_cast<double>(row.mode.cpu_khz),
                               static_cast<double>(row.mode.gpu_hz), static_cast<double>(row.mode.emc_hz),
                               static_cast<double>(row.batch_size), row.p50_ms, row.power_w})
      key.push_back(value);
  }
}

}  // namespace

int default_als_probes(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::train:
      return 50;
    case ProblemKind::infer:
      return 100;
    case ProblemKind::concurrent:
      break;
  }
  return 145;
}

class Als::Walk {
 public:
  Walk(const Als& als, const Problem& problem, std::size_t most, ProfilePath& path)
      : als_(als), problem_(problem), most_(most), path_(path) {}

  void run() {
    auto next = first_probes(problem_, most_, als_.seed_);
    while (!next.empty()) {
      for (const auto& probe : next) {
        if (!take(probe)) return;
      }
      next = round();
    }
  }

 private:
  // False: the path ends here, or there are as many profiles as there may be.
  bool take(const Measure& probe) {
    if (seen_.count({probe.task, probe.mode, probe.batch_size}) > 0) return true;
    if (seen_.size() >= most_) return false;
    const Profile* profile = path_.at(probe.task, probe.mode, probe.batch_size);
    if (profile == nullptr) return false;
    seen_.insert({probe.task, probe.mode, probe.batch_size});
    (probe.task == WorkloadTask::training ? training_ : inference_).push_back(*profile);
    return true;
  }

  std::vector<Measure> round() {
    if (seen_.size() >= most_) return {};
    auto key = this->key();
    {
      const std::lock_guard lock(als_.mutex_);
      if (const auto known = als_.rounds_.find(key); known != als_.rounds_.end()) return known->second;
    }
    const auto probes = think();
    if (!probes) return {};
    const std::lock_guard lock(als_.mutex_);
    return als_.rounds_.emplace(std::move(key), *probes).first->second;
  }

  Expected<std::vector<Measure>> think() const {
    WorkloadGrids grids;
    if (problem_.trains()) {
      FULCRUM_TRY_ASSIGN(learned, learn_grid(problem_, WorkloadTask::training, training_, *als_.learner_,
                                             als_.seed_ + seen_.size()));
      grids.training = std::move(learned);
    }
    if (problem_.infers()) {
      FULCRUM_TRY_ASSIGN(learned, learn_grid(problem_, WorkloadTask::inference, inference_, *als_.learner_,
                                             als_.seed_ + seen_.size()));
      grids.inference = std::move(learned);
    }
    return most_useful(problem_, grids, std::min(kProbesARound, most_ - seen_.size()));
  }

  std::vector<double> key() const {
    std::vector<double> key{static_cast<double>(problem_.kind), static_cast<double>(problem_.policy),
                            static_cast<double>(problem_.training_batch_size), static_cast<double>(most_)};
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const auto& levels = problem_.grid.levels(static_cast<Dimension>(d));
      key.push_back(static_cast<double>(levels.size()));
      key.insert(key.end(), levels.begin(), levels.end());
    }
    key.push_back(static_cast<double>(problem_.inference_batch_sizes.size()));
    key.insert(key.end(), problem_.inference_batch_sizes.begin(), problem_.inference_batch_sizes.end());
    append(key, training_);
    append(key, inference_);
    return key;
  }

  const Als& als_;
  const Problem& problem_;
  std::size_t most_;
  ProfilePath& path_;
  std::set<ProfileSet::Key> seen_;
  std::vector<Profile> training_;
  std::vector<Profile> inference_;
};

Als::Als(int probes, const StrategyTools& tools)
    : probes_(probes),
      name_(probes > 0 ? fmt::format("{}-{}", kAlsName, probes) : std::string(kAlsName)),
      seed_(tools.seed),
      learner_(tools.learner) {}

Step Als::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  const auto most = static_cast<std::size_t>(probes_ > 0 ? probes_ : default_als_probes(problem.kind));
  const bool hopeless = problem.infers() && possible_batch_sizes(problem).empty();
  if (!hopeless && suitable(problem, profiles) < most) Walk(*this, problem, most, path).run();
  return path.conclude();
}

}  // namespace fulcrum::scheduler
