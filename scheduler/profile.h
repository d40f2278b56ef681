#pragma once
// What has been measured: how long a minibatch takes in a power mode, and what the board draws meanwhile.

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

#include "common/error.h"
#include "common/json_text.h"
#include "common/workload_task.h"
#include "powermode/power_mode.h"

namespace fulcrum::scheduler {

struct Profile {
  WorkloadTask task = WorkloadTask::training;
  PowerMode mode;
  int batch_size = 0;
  double p50_ms = 0;  // of a minibatch; a table with one time has it in both
  double p99_ms = 0;
  double power_w = 0;    // mean of the board while minibatches run
  int measurements = 1;  // that the numbers are the means of

  // Of several inference jobs that were taken together (jobs_together.h).
  struct Together {
    double due_ms = 0;          // the window, times the part of the time before a deadline that is needed
    double one_of_each_ms = 0;  // a batch of each, one after another
  };
  std::optional<Together> together = std::nullopt;

  Json to_json() const;
};

class ProfileSet {
 public:
  // Ascending: all of one task together, then by mode, then by batch size.
  using Key = std::tuple<WorkloadTask, PowerMode, int>;
  using Map = std::map<Key, Profile>;

  // In place of an earlier one with the same key. invalid_argument unless its numbers are positive and finite
  // and p50 <= p99.
  [[nodiscard]] Expected<void> add(const Profile& profile);

  // The mean with what is there of the same key, by the number of measurements. invalid_argument as for
  // add().
  [[nodiscard]] Expected<void> pool(const Profile& profile);

  Json to_json() const;  // a list
  [[nodiscard]] static Expected<ProfileSet> from_json(const Json& json);

  // All of another set, each in place of an earlier one.
  void take_over(const ProfileSet& other);

  ProfileSet in_mode(const PowerMode& mode) const;
  ProfileSet outside(const PowerMode& mode) const;  // all the others

  // Null when it has not been measured. Valid until the set is destroyed or the profile replaced.
  const Profile* find(WorkloadTask task, const PowerMode& mode, int batch_size) const;

  // Of the smallest batch in this mode that holds n samples; else the largest; null when there is none.
  const Profile* covering(WorkloadTask task, const PowerMode& mode, int n) const;

  std::size_t size() const { return profiles_.size(); }
  Map::const_iterator begin() const { return profiles_.begin(); }
  Map::const_iterator end() const { return profiles_.end(); }
  // The first of a task; those of training come before those of inference.
  Map::const_iterator begin(WorkloadTask task) const;

 private:
  Map profiles_;
};

}  // namespace fulcrum::scheduler
