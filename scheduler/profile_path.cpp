#include "scheduler/profile_path.h"

#include "scheduler/confirmation.h"

namespace fulcrum::scheduler {

const Profile* ProfilePath::at(WorkloadTask task, const PowerMode& mode, int batch_size) {
  if (ended_) return nullptr;
  const ProfileSet::Key key{task, mode, batch_size};
  if (seen_.count(key) == 0) {
    if (problem_.max_profiles && seen_.size() >= static_cast<std::size_t>(*problem_.max_profiles)) {
      ended_ = true;
      return nullptr;
    }
    seen_.insert(key);
  }
  const Profile* profile = profiles_.find(task, mode, batch_size);
  if (profile == nullptr) {
    missing_ = Measure{task, mode, batch_size};
    ended_ = true;
  }
  return profile;
}

Step ProfilePath::conclude() const {
  if (missing_) return *missing_;
  if (const auto again = next_confirmation(problem_, profiles_)) return *again;
  auto outcome = choose(problem_, profiles_);
  if (auto* choice = std::get_if<Choice>(&outcome)) return Answer{std::move(*choice)};
  return std::get<Infeasible>(std::move(outcome));
}

}  // namespace fulcrum::scheduler
