#pragma once
// RND-N, a baseline (searches.md section 4): the best of N random profiles, drawn once for all problems of a
// kind.
//
// train: N modes. infer: N pairs of a mode and a batch size. concurrent: such pairs, each with the training
// profile of its mode, as long as both fit into N profiles.

#include <cstdint>
#include <string>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kRandomSearchName = "rnd-N";

class RandomSearch : public Strategy {
 public:
  RandomSearch(int profiles, std::uint64_t seed)
      : name_("rnd-" + std::to_string(profiles)), most_profiles_(profiles), seed_(seed) {}

  std::string_view name() const override { return name_; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
  // Batch sizes that a latency budget rules out are drawn as well.
  bool serves_all_budgets() const override { return true; }

 private:
  std::string name_;
  int most_profiles_;
  std::uint64_t seed_;
};

}  // namespace fulcrum::scheduler
