#pragma once
// ALS, active-learning sampling (Fulcrum, arXiv 2509.20205; searches.md section 3): a set number of profiles,
// chosen so that they serve every budget. From then on any problem of the kind is answered at once.
//
// Begins with the highest and the lowest mode and a Latin hypercube between them. Each round a learner is
// fitted to what is measured and asked for the whole grid; the profiles that would improve the answers most,
// over all budgets (usefulness.h), are measured next. For concurrent both workloads are learned and a way to
// run needs a profile of each.
//
// The rounds are replayed from the profiles at every step, so that a search goes on where it was; a round
// that has been thought out once is remembered. Once as many profiles are known as it would take, wherever
// they come from, it answers. Where the learner fails it ends and answers from what is measured.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kAlsName = "als";
inline constexpr std::string_view kAlsNName = "als-N";

// The N of "als": for train, infer and concurrent, after the paper.
int default_als_probes(ProblemKind kind);

class Als : public Strategy {
 public:
  // probes: 0 for the default of the problem's kind. There is a learner.
  Als(int probes, const StrategyTools& tools);

  std::string_view name() const override { return name_; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
  bool serves_all_budgets() const override { return true; }

 private:
  class Walk;

  int probes_;
  std::string name_;
  std::uint64_t seed_;
  std::shared_ptr<const Learner> learner_;

  // By everything that a round follows from.
  using Rounds = std::map<std::vector<double>, std::vector<Measure>>;
  mutable std::mutex mutex_;
  mutable Rounds rounds_;
};

}  // namespace fulcrum::scheduler
