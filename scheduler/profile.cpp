#include "scheduler/profile.h"

#include <fmt/format.h>

#include <limits>

#include "common/finite.h"

namespace fulcrum::scheduler {

Json Profile::to_json() const {
  Json json{
      {"task", to_string(task)}, {"mode", mode.to_json()}, {"batch_size", batch_size},    {"p50_ms", p50_ms},
      {"p99_ms", p99_ms},        {"power_w", power_w},     {"measurements", measurements}};
  if (together)
    json["together"] = {{"due_ms", together->due_ms}, {"one_of_each_ms", together->one_of_each_ms}};
  return json;
}

Expected<void> ProfileSet::add(const Profile& profile) {
  const bool times = finite_and_positive(profile.p50_ms) && finite_and_positive(profile.p99_ms) &&
                     profile.p50_ms <= profile.p99_ms;
  if (profile.batch_size < 1 || profile.measurements < 1 || !times || !finite_and_positive(profile.power_w)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("profile of {} in {}, batch {}: p50 {} ms, p99 {} ms, {} W is no measurement",
                            to_string(profile.task), profile.mode.to_string(), profile.batch_size,
                            profile.p50_ms, profile.p99_ms, profile.power_w));
  }
  profiles_.insert_or_assign(Key{profile.task, profile.mode, profile.batch_size}, profile);
  return {};
}

Expected<void> ProfileSet::pool(const Profile& profile) {
  const auto* known = find(profile.task, profile.mode, profile.batch_size);
  if (known == nullptr) return add(profile);
  Profile pooled = *known;
  pooled.measurements += profile.measurements;
  const double part = static_cast<double>(profile.measurements) / pooled.measurements;
  pooled.p50_ms += part * (profile.p50_ms - known->p50_ms);
  pooled.p99_ms += part * (profile.p99_ms - known->p99_ms);
  pooled.power_w += part * (profile.power_w - known->power_w);
  return add(pooled);
}

void ProfileSet::take_over(const ProfileSet& other) {
  for (const auto& [key, profile] : other.profiles_)
    profiles_.insert_or_assign(key, profile);
}

ProfileSet ProfileSet::in_mode(const PowerMode& mode) const {
  ProfileSet found;
  for (const auto& [key, profile] : profiles_) {
    if (profile.mode == mode) found.profiles_.emplace(key, profile);
  }
  return found;
}

const Profile* ProfileSet::find(WorkloadTask task, const PowerMode& mode, int batch_size) const {
  const auto found = profiles_.find(Key{task, mode, batch_size});
  return found == profiles_.end() ? nullptr : &found->second;
}

ProfileSet ProfileSet::outside(const PowerMode& mode) const {
  ProfileSet found;
  for (const auto& [key, profile] : profiles_) {
    if (profile.mode != mode) found.profiles_.emplace(key, profile);
  }
  return found;
}

const Profile* ProfileSet::covering(WorkloadTask task, const PowerMode& mode, int n) const {
  const Profile* found = nullptr;
  for (auto it = profiles_.lower_bound(Key{task, mode, 0}); it != profiles_.end(); ++it) {
    const auto& profile = it->second;
    if (profile.task != task || profile.mode != mode) break;
    found = &profile;
    if (profile.batch_size >= n) break;
  }
  return found;
}

ProfileSet::Map::const_iterator ProfileSet::begin(WorkloadTask task) const {
  PowerMode lowest;
  lowest.cpu_cores = std::numeric_limits<int>::min();
  return profiles_.lower_bound(Key{task, lowest, 0});
}

}  // namespace fulcrum::scheduler
