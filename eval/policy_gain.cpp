#include "eval/policy_gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "scheduler/problem.h"

namespace fulcrum::eval {

namespace {

constexpr const char* kOptimum = "optimum";

// What is compared: workloads, budgets, rate.
using SearchedFor = std::tuple<std::string, std::string, double, double, double>;

SearchedFor problem_of(const Result& r) {
  return {r.train_workload, r.infer_workload, r.power_budget_w, r.latency_budget_ms, r.arrival_rate_hz};
}

std::optional<double> throughput_of(const Result& r) {
  if (r.status != Status::solved) return std::nullopt;
  return r.answer->train_throughput_hz;
}

class Gains {
 public:
  void add(const Result& slack, const std::string& of, std::optional<double> managed_hz,
           std::optional<double> slack_hz) {
    if (!managed_hz || !slack_hz || *managed_hz <= 0) return;
    auto& gain = gain_of(slack, of);
    const double ratio = *slack_hz / *managed_hz;
    gain.least = gain.problems == 0 ? ratio : std::min(gain.least, ratio);
    ++gain.problems;
    gain.geometric_mean += std::log(ratio);  // a sum, until finish()
  }

  std::vector<PolicyGain> finish() {
    for (auto& gain : gains_)
      gain.geometric_mean = std::exp(gain.geometric_mean / static_cast<double>(gain.problems));
    // The optima of a pair come with its first result; the strategies follow.
    std::stable_sort(gains_.begin(), gains_.end(), [](const PolicyGain& a, const PolicyGain& b) {
      return std::tie(a.train_workload, a.infer_workload) < std::tie(b.train_workload, b.infer_workload);
    });
    return std::move(gains_);
  }

 private:
  PolicyGain& gain_of(const Result& r, const std::string& of) {
    const auto [found, is_new] =
        number_of_.emplace(std::make_tuple(r.train_workload, r.infer_workload, of), gains_.size());
    if (is_new) gains_.push_back({r.train_workload, r.infer_workload, of, 0, 0, 1});
    return gains_[found->second];
  }

  std::vector<PolicyGain> gains_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> number_of_;
};

}  // namespace

Json PolicyGain::to_json() const {
  return {{"train_workload", train_workload},
          {"infer_workload", infer_workload},
          {"of", of},
          {"problems", problems},
          {"geometric_mean", geometric_mean},
          {"least", least}};
}

std::vector<PolicyGain> policy_gains(const std::vector<Result>& results) {
  const auto managed_name = to_string(scheduler::Policy::managed);
  std::map<std::pair<SearchedFor, std::string>, const Result*> managed;
  for (const auto& r : results) {
    if (r.policy == managed_name) managed.emplace(std::pair(problem_of(r), r.strategy), &r);
  }
  Gains gains;
  std::optional<SearchedFor> last;
  for (const auto& r : results) {
    if (r.policy == managed_name) continue;
    const auto problem = problem_of(r);
    const auto same = managed.find({problem, r.strategy});
    if (same == managed.end()) continue;
    if (last != problem) gains.add(r, kOptimum, same->second->optimal_value, r.optimal_value);
    last = problem;
    gains.add(r, r.strategy, throughput_of(*same->second), throughput_of(r));
  }
  return gains.finish();
}

std::string render(const std::vector<PolicyGain>& gains) {
  if (gains.empty()) return {};
  std::size_t width = 9;
  for (const auto& g : gains)
    width = std::max(width, g.train_workload.size() + g.infer_workload.size() + 3);
  std::string text = fmt::format("\n{:<{}}  {:<12}  {:>8}  {:>23}\n{:<{}}  {:<12}  {:>8}  {:>14} {:>8}\n",
                                 "workloads", width, "of", "problems", "slack over managed", "", width, "",
                                 "", "geometric mean", "least");
  for (const auto& g : gains) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:<12}  {:>8}  {:>13.3f}x {:>7.3f}x\n",
                   g.train_workload + " + " + g.infer_workload, width, g.of, g.problems, g.geometric_mean,
                   g.least);
  }
  return text + "Training minibatches a second, where managed has any.\n";
}

}  // namespace fulcrum::eval
