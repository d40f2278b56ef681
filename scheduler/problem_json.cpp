// Problems, profiles and grids as they travel between processes.

#include <fmt/format.h>

#include <stdexcept>

#include "common/json_integer.h"
#include "scheduler/problem.h"

namespace fulcrum::scheduler {

namespace {

constexpr std::string_view kPolicies[] = {"managed", "slack"};           // in the order of Policy
constexpr std::string_view kStatistics[] = {"p50", "p99"};               // of TimeStatistic
constexpr std::string_view kKinds[] = {"train", "infer", "concurrent"};  // of ProblemKind
constexpr const char* kDimensionNames[] = {"cpu_cores", "cpu_khz", "gpu_hz", "emc_hz"};

template <class Enum, std::size_t N>
std::string_view name_of(Enum value, const std::string_view (&names)[N]) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum, std::size_t N>
Enum value_of(const Json& name, const std::string_view (&names)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name.get<std::string>() == names[i]) return static_cast<Enum>(i);
  }
  throw std::invalid_argument("unknown name " + to_line(name));
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
std::vector<T> integers_from(const Json& json) {
  std::vector<T> values;
  values.reserve(json.size());
  for (const auto& value : json)
    values.push_back(integer_from<T>(value));
  return values;
}

template <class T>
T valid(Expected<T> value) {
  if (!value) throw std::invalid_argument(value.error().to_string());
  return std::move(*value);
}

Json several_to_json(const SeveralJobs& several) {
  Json batches = Json::array();
  for (const auto& batch : several.batches)
    batches.push_back({{"longest_step_ms", batch.longest_step_ms}, {"one_of_each", batch.one_of_each}});
  return {{"jobs", several.jobs},
          {"tightest_budget_ms", several.tightest_budget_ms},
          {"batches", std::move(batches)}};
}

SeveralJobs several_from(const Json& json) {
  SeveralJobs several{integer_from<int>(json.at("jobs")), json.at("tightest_budget_ms").get<double>(), {}};
  for (const auto& batch : json.at("batches"))
    several.batches.push_back(
        {batch.at("longest_step_ms").get<double>(), batch.at("one_of_each").get<double>()});
  return several;
}

Problem problem_from(const Json& json) {
  Problem problem;
  problem.kind = value_of<ProblemKind>(json.at("kind"), kKinds);
  problem.grid = valid(ModeGrid::from_json(json.at("grid")));
  if (const auto& budget = json.at("power_budget_w"); !budget.is_null())
    problem.power_budget_w = budget.get<double>();
  problem.latency_budget_ms = json.at("latency_budget_ms").get<double>();
  problem.arrival_rate_hz = json.at("arrival_rate_hz").get<double>();
  problem.inference_batch_sizes = integers_from<int>(json.at("inference_batch_sizes"));
  if (const auto& several = json.at("several"); !several.is_null()) problem.several = several_from(several);
  problem.training_batch_size = integer_from<int>(json.at("training_batch_size"));
  problem.policy = value_of<Policy>(json.at("policy"), kPolicies);
  problem.decide_with = value_of<TimeStatistic>(json.at("decide_with"), kStatistics);
  problem.noise = {json.at("time_noise").get<double>(), json.at("power_noise").get<double>()};
  if (const auto& most = json.at("max_profiles"); !most.is_null())
    problem.max_profiles = integer_from<int>(most);
  problem.profiles_at_start = integer_from<std::size_t>(json.at("profiles_at_start"));
  return problem;
}

Profile profile_from(const Json& json) {
  Profile profile{valid(parse_workload_task(json.at("task").get<std::string>())),
                  valid(PowerMode::from_json(json.at("mode"))),
                  integer_from<int>(json.at("batch_size")),
                  json.at("p50_ms").get<double>(),
                  json.at("p99_ms").get<double>(),
                  json.at("power_w").get<double>(),
                  integer_from<int>(json.at("measurements"))};
  if (const auto together = json.find("together"); together != json.end())
    profile.together = {together->at("due_ms").get<double>(), together->at("one_of_each_ms").get<double>()};
  return profile;
}

}  // namespace

Json ModeGrid::to_json() const {
  Json json = Json::object();
  for (std::size_t d = 0; d < kDimensions; ++d)
    json[kDimensionNames[d]] = levels_[d];
  return json;
}

Expected<ModeGrid> ModeGrid::from_json(const Json& json) {
  try {
    PerDimension<std::vector<std::int64_t>> levels;
    for (std::size_t d = 0; d < kDimensions; ++d)
      levels[d] = integers_from<std::int64_t>(json.at(kDimensionNames[d]));
    return make(std::move(levels));
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("a grid of power modes: {}", e.what()));
  }
}

Json Problem::to_json() const {
  return {{"kind", to_string(kind)},
          {"grid", grid.to_json()},
          {"power_budget_w", json_or_null(power_budget_w)},
          {"latency_budget_ms", latency_budget_ms},
          {"arrival_rate_hz", arrival_rate_hz},
          {"inference_batch_sizes", inference_batch_sizes},
          {"several", several ? several_to_json(*several) : Json()},
          {"training_batch_size", training_batch_size},
          {"policy", to_string(policy)},
          {"decide_with", name_of(decide_with, kStatistics)},
          {"time_noise", noise.time},
          {"power_noise", noise.power},
          {"max_profiles", json_or_null(max_profiles)},
          {"profiles_at_start", profiles_at_start}};
}

Expected<Problem> Problem::from_json(const Json& json) {
  try {
    Problem problem = problem_from(json);
    FULCRUM_TRY(check(problem));
    return problem;
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("problem: {}", e.what()));
  }
}

Json ProfileSet::to_json() const {
  Json json = Json::array();
  for (const auto& [key, profile] : profiles_)
    json.push_back(profile.to_json());
  return json;
}

Expected<ProfileSet> ProfileSet::from_json(const Json& json) {
  try {
    ProfileSet profiles;
    for (const auto& entry : json)
      FULCRUM_TRY(profiles.add(profile_from(entry)));
    return profiles;
  } catch (const std::exception& e) {
    return fail(ErrorCode::invalid_argument, fmt::format("profiles: {}", e.what()));
  }
}

}  // namespace fulcrum::scheduler
