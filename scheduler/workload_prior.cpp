#include "scheduler/workload_prior.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "powermode/yaml_fields.h"
#include "scheduler/embedded_text.h"

namespace fulcrum::scheduler {

namespace {

constexpr const char* kAgxOrin = "agx-orin.yaml";
constexpr const char* kAgxOrinId = "agx-orin";
// What an AGX Orin draws at least and at most, W: the scale of its priors of power.
constexpr double kAgxOrinIdleW = 12.5;
constexpr double kAgxOrinMostW = 51;
// Another board: how much wider.
constexpr double kOtherTime = 1.5;
constexpr double kOtherPowerDeviations[] = {.8, 1, 1, 1, .8, .4};
constexpr std::size_t kP0 = 0;
constexpr std::size_t kPg = 4;

using Names = std::vector<const char*>;
const Names kTrainingTime{"A", "C", "G", "M", "lq", "k"};
const Names kInferenceTime{"A0", "A1", "C0", "C1", "G0", "G1", "M0", "M1", "lq", "k"};
const Names kPower{"P0", "p_m", "p_c", "p_n", "p_g", "beta"};
constexpr Eigen::Index kNotScaled = 2;  // the last two: shapes, not sizes

double number(const YAML::Node& node, const char* what, bool positive) {
  const auto value = node.as<double>();
  if (!std::isfinite(value) || (positive && value <= 0))
    throw YAML::RepresentationException(node.Mark(),
                                        fmt::format("{} is not {}", what, positive ? "positive" : "finite"));
  return value;
}

std::vector<double> numbers(const YAML::Node& map, const char* key, std::size_t count, bool positive) {
  const auto list = powermode::required_list(map, key);
  if (list.size() != count)
    throw YAML::RepresentationException(list.Mark(), fmt::format("'{}' has not {} numbers", key, count));
  std::vector<double> values;
  values.reserve(count);
  for (const auto& entry : list)
    values.push_back(number(entry, key, positive));
  return values;
}

ParameterPrior read_parameters(const YAML::Node& quantity, const Names& names) {
  const auto map = powermode::required(quantity, "parameters");
  powermode::check_keys(map, {names.begin(), names.end()});
  const auto n = static_cast<Eigen::Index>(names.size());
  ParameterPrior prior{Eigen::VectorXd(n), Eigen::MatrixXd::Zero(n, n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto pair = numbers(map, names[static_cast<std::size_t>(i)], 2, false);
    if (!(pair[1] > 0)) {
      throw YAML::RepresentationException(
          map.Mark(), fmt::format("'{}' has no positive deviation", names[static_cast<std::size_t>(i)]));
    }
    prior.mean[i] = pair[0];
    prior.covariance(i, i) = pair[1] * pair[1];
  }
  const double common = number(powermode::required(quantity, "common"), "common", false);
  prior.covariance.topLeftCorner(n - kNotScaled, n - kNotScaled).array() += common * common;
  return prior;
}

QuantityPrior read_quantity(const YAML::Node& map, const Names& names) {
  powermode::check_keys(map, {"parameters", "common", "residual"});
  QuantityPrior prior;
  prior.parameters = read_parameters(map, names);
  const auto residual = powermode::required(map, "residual");
  powermode::check_keys(residual, {"deviation", "lengths", "noise"});
  prior.residual.deviation = number(powermode::required(residual, "deviation"), "deviation", true);
  prior.residual.noise = number(powermode::required(residual, "noise"), "noise", true);
  const auto lengths = numbers(residual, "lengths", kFeatures, true);
  for (Eigen::Index i = 0; i < kFeatures; ++i)
    prior.residual.lengths[i] = lengths[static_cast<std::size_t>(i)];
  return prior;
}

WorkloadPrior read_workload(const YAML::Node& map, const Names& time) {
  powermode::check_keys(map, {"time", "power"});
  return {read_quantity(powermode::required(map, "time"), time),
          read_quantity(powermode::required(map, "power"), kPower)};
}

SearchPriors read_priors(const YAML::Node& map) {
  powermode::check_keys(map, {"training", "inference"});
  return {read_workload(powermode::required(map, "training"), kTrainingTime),
          read_workload(powermode::required(map, "inference"), kInferenceTime)};
}

void widen(WorkloadPrior& prior, double idle_w, double most_w) {
  prior.time.parameters.covariance *= kOtherTime * kOtherTime;
  auto& power = prior.power.parameters;
  power.mean[kP0] += std::log(idle_w / kAgxOrinIdleW);
  power.mean[kPg] += std::log((most_w - idle_w) / (kAgxOrinMostW - kAgxOrinIdleW));
  power.covariance.setZero();
  for (Eigen::Index i = 0; i < power.covariance.rows(); ++i)
    power.covariance(i, i) = kOtherPowerDeviations[i] * kOtherPowerDeviations[i];
}

}  // namespace

Expected<SearchPriors> SearchPriors::parse(std::string_view yaml, const std::string& source) {
  return powermode::parse_yaml<SearchPriors>(yaml, source, read_priors);
}

const SearchPriors& SearchPriors::of_agx_orin() {
  static const SearchPriors priors = parse(embedded_text(kAgxOrin), kAgxOrin).value();
  return priors;
}

const SearchPriors* SearchPriors::of_board(std::string_view id) {
  return id == kAgxOrinId ? &of_agx_orin() : nullptr;
}

SearchPriors SearchPriors::of_other_board(double idle_w, double most_w) {
  SearchPriors priors = of_agx_orin();
  widen(priors.training, idle_w, most_w);
  widen(priors.inference, idle_w, most_w);
  return priors;
}

}  // namespace fulcrum::scheduler
