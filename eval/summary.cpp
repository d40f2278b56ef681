#include "eval/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "eval/statistics.h"
#include "scheduler/problem.h"

namespace fulcrum::eval {

namespace {

constexpr double kClearly = 0.01;  // of a budget

std::string pair_of(const std::string& train, const std::string& infer) {
  return train + (train.empty() || infer.empty() ? "" : " + ") + infer;
}

// With five characters.
std::string short_number(std::size_t value) {
  if (value < 100'000) return std::to_string(value);
  const double thousands = static_cast<double>(value) / 1e3;
  return thousands < 9999.5 ? fmt::format("{:.0f}k", thousands) : fmt::format("{:.0f}M", thousands / 1e3);
}

// What a summary is made of.
class Group {
 public:
  void add(const Result& result) {
    ++summary_.problems;
    summary_.total_profiles += static_cast<std::size_t>(result.profiles);
    summary_.missed += result.status == Status::missed ? 1 : 0;
    summary_.solved += result.status == Status::solved ? 1 : 0;
    summary_.violations += result.status == Status::violated ? 1 : 0;
    summary_.violations_beyond_1_pct += result.status == Status::violated && result.excess > kClearly ? 1 : 0;
    decisions_.push_back(result.decision_ms);
    if (result.loss_pct) losses_.push_back(*result.loss_pct);
    if (!result.solvable()) return;
    ++summary_.solvable;
    profiles_.push_back(result.profiles);
    modes_.push_back(result.modes);
    summary_.most_profiles = std::max(summary_.most_profiles, result.profiles);
  }

  Summary summary(const Result& any, bool of_one_sweep) const {
    Summary s = summary_;
    s.scenario = any.scenario;
    s.policy = any.policy;
    s.strategy = any.strategy;
    if (of_one_sweep) {
      s.train_workload = any.train_workload;
      s.infer_workload = any.infer_workload;
    }
    s.median_loss_pct = median_of(losses_);
    s.mean_loss_pct = mean_of(losses_);
    s.median_profiles = median_of(profiles_);
    s.mean_profiles = mean_of(profiles_);
    s.median_modes = median_of(modes_);
    s.mean_modes = mean_of(modes_);
    s.median_decision_ms = median_of(decisions_);
    return s;
  }

 private:
  Summary summary_;
  std::vector<double> losses_, profiles_, modes_, decisions_;
};

// Groups of results that have the same key, in the order of their first ones.
template <class KeyOf>
std::vector<Summary> grouped(const std::vector<Result>& results, bool of_one_sweep, const KeyOf& key_of) {
  using Key = decltype(key_of(results.front()));
  std::map<Key, std::size_t> number_of;
  std::vector<std::pair<const Result*, Group>> groups;
  for (const auto& result : results) {
    const auto [found, is_new] = number_of.emplace(key_of(result), groups.size());
    if (is_new) groups.emplace_back(&result, Group());
    groups[found->second].second.add(result);
  }
  std::vector<Summary> summaries;
  summaries.reserve(groups.size());
  for (const auto& [first, group] : groups)
    summaries.push_back(group.summary(*first, of_one_sweep));
  return summaries;
}

}  // namespace

std::string Summary::shown_scenario() const {
  return policy == to_string(scheduler::Policy::managed) ? scenario : scenario + ", " + policy;
}

std::string Summary::workloads() const {
  const auto names = pair_of(train_workload, infer_workload);
  return names.empty() ? "all" : names;
}

Json Summary::to_json() const {
  Json json = {{"scenario", scenario},
               {"policy", policy},
               {"strategy", strategy},
               {"problems", problems},
               {"solvable", solvable},
               {"solved", solved},
               {"missed", missed},
               {"violations", violations},
               {"violations_beyond_1_pct", violations_beyond_1_pct},
               {"median_loss_pct", median_loss_pct},
               {"mean_loss_pct", mean_loss_pct},
               {"median_profiles", median_profiles},
               {"mean_profiles", mean_profiles},
               {"most_profiles", most_profiles},
               {"median_modes", median_modes},
               {"mean_modes", mean_modes},
               {"total_profiles", total_profiles},
               {"median_decision_ms", median_decision_ms}};
  json["train_workload"] = train_workload.empty() ? Json() : Json(train_workload);
  json["infer_workload"] = infer_workload.empty() ? Json() : Json(infer_workload);
  return json;
}

std::vector<Summary> summarize(const std::vector<Result>& results) {
  std::map<std::string, std::set<std::string>> workloads_of;
  for (const auto& r : results)
    workloads_of[r.scenario + " " + r.policy].insert(pair_of(r.train_workload, r.infer_workload));
  auto single = grouped(results, true, [](const Result& r) {
    return std::make_tuple(r.scenario, r.policy, r.train_workload, r.infer_workload, r.strategy);
  });
  const auto overall = grouped(
      results, false, [](const Result& r) { return std::make_tuple(r.scenario, r.policy, r.strategy); });
  std::vector<Summary> all;
  for (std::size_t i = 0; i < single.size(); ++i) {
    all.push_back(single[i]);
    const bool last = i + 1 == single.size() || single[i + 1].scenario != single[i].scenario ||
                      single[i + 1].policy != single[i].policy;
    if (!last || workloads_of[single[i].scenario + " " + single[i].policy].size() < 2) continue;
    std::copy_if(overall.begin(), overall.end(), std::back_inserter(all), [&](const Summary& s) {
      return s.scenario == single[i].scenario && s.policy == single[i].policy;
    });
  }
  return all;
}

std::string render(const std::vector<Summary>& summaries) {
  std::size_t scenario = 10, workloads = 9, strategy = 8;  // widths
  for (const auto& s : summaries) {
    scenario = std::max(scenario, s.shown_scenario().size());
    workloads = std::max(workloads, s.workloads().size());
    strategy = std::max(strategy, s.strategy.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>11}  {:>13}  {:>24}  {:>11}  {:>15}  {:>11}\n",
                                 "scenario", scenario, "workloads", workloads, "strategy", strategy, "solved",
                                 "loss %", "probes", "modes", "violated", "decision ms");
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{:<{}}  {:<{}}  {:<{}}  {:>11}  {:>6} {:>6}  {:>5} {:>6} {:>5} {:>5}  {:>5} {:>5}  {:>7} "
                 "{:>7}  {:>11}\n",
                 "", scenario, "", workloads, "", strategy, "of solvable", "median", "mean", "med.", "mean",
                 "most", "sum", "med.", "mean", "answers", "by >1 %", "median");
  for (const auto& s : summaries) {
    fmt::format_to(out,
                   "{:<{}}  {:<{}}  {:<{}}  {:>11}  {:>6.1f} {:>6.1f}  {:>5g} {:>6.1f} {:>5} {:>5}  {:>5g} "
                   "{:>5.1f}  {:>7} {:>7}  {:>11.3g}\n",
                   s.shown_scenario(), scenario, s.workloads(), workloads, s.strategy, strategy,
                   fmt::format("{}/{}", s.solved, s.solvable), s.median_loss_pct, s.mean_loss_pct,
                   s.median_profiles, s.mean_profiles, s.most_profiles, short_number(s.total_profiles),
                   s.median_modes, s.mean_modes, s.violations, s.violations_beyond_1_pct,
                   s.median_decision_ms);
  }
  text +=
      "Loss in % of the optimum, over the solved problems. Probes and modes measured for a solvable problem; "
      "the\n"
      "sum over all problems.\n";
  return text;
}

}  // namespace fulcrum::eval
