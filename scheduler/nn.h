#pragma once
// NN-N, a baseline (searches.md section 4): N profiles at random, a learner fitted to them, and the best of
// what it predicts. Such an answer may break the budgets: its numbers are predicted, and it rests on no
// profiles, unless the way to run happens to be measured. What is measured beside the N takes the place of
// what is predicted.

#include <memory>
#include <string>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kNnName = "nn-N";

class Nn : public Strategy {
 public:
  // There is a learner.
  Nn(int probes, const StrategyTools& tools);

  std::string_view name() const override { return name_; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
  bool serves_all_budgets() const override { return true; }

 private:
  std::size_t probes_;
  std::string name_;
  std::uint64_t seed_;
  std::shared_ptr<const Learner> learner_;
};

}  // namespace fulcrum::scheduler
