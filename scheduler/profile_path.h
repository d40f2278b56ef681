#pragma once
// The way of a search through the profiles, walked anew at every step. A search asks for one profile after
// another as if all were there; the first that is not is what to measure next.

#include <optional>
#include <set>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

class ProfilePath {
 public:
  // Both outlive the path.
  ProfilePath(const Problem& problem, const ProfileSet& profiles) : problem_(problem), profiles_(profiles) {}

  // Null: the path ends here, because the profile is missing or the problem's max_profiles is reached. Then
  // every later call gives null as well.
  const Profile* at(WorkloadTask task, const PowerMode& mode, int batch_size);
  const Profile* training_at(const PowerMode& mode) {
    return at(WorkloadTask::training, mode, problem_.training_batch_size);
  }

  bool ended() const { return ended_; }
  bool missing() const { return missing_.has_value(); }  // it ended at a profile that is not there

  // What is missing, or is to be confirmed; else the best of everything that is profiled.
  Step conclude() const;

 private:
  const Problem& problem_;
  const ProfileSet& profiles_;
  std::set<ProfileSet::Key> seen_;
  std::optional<Measure> missing_;
  bool ended_ = false;
};

}  // namespace fulcrum::scheduler
