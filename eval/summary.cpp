#include "eval/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "eval/statistics.h"

namespace fulcrum::eval {

namespace {

constexpr double kClearly = 0.01;  // of a budget

std::string pair_of(const std::string& train, const std::string& infer) {
  return train + (train.empty() || infer.empty() ? "" : " + ") + infer;
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

struct Column {
  const char* name;
  int width;
};
constexpr Column kColumns[] = {{"scenario", 10}, {"workload", 0},    {"strategy", 0}, {"solved", 11},
                               {"loss %", 7},    {"mean", 6},        {"probes", 7},   {"mean", 7},
                               {"max", 5},       {"modes", 6},       {"mean", 6},     {"violated", 8},
                               {"> 1 %", 6},     {"decision ms", 11}};

}  // namespace

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
  std::size_t workload_width = 8, strategy_width = 8;
  for (const auto& s : summaries) {
    workload_width = std::max(workload_width, s.workloads().size());
    strategy_width = std::max(strategy_width, s.strategy.size());
  }
  std::string text;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    const std::size_t width = i == 1 ? workload_width : i == 2 ? strategy_width : 0;
    if (i < 3) {
      fmt::format_to(out, "{:<{}}  ", kColumns[i].name,
                     width == 0 ? kColumns[i].width : static_cast<int>(width));
    } else {
      fmt::format_to(out, "{:>{}}  ", kColumns[i].name, kColumns[i].width);
    }
  }
  text.resize(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (const auto& s : summaries) {
    fmt::format_to(out,
                   "{:<10}  {:<{}}  {:<{}}  {:>11}  {:>7.1f}  {:>6.1f}  {:>7g}  {:>7.1f}  {:>5}  "
                   "{:>6g}  {:>6.1f}  {:>8}  {:>6}  {:>11.3g}\n",
                   s.scenario, s.workloads(), workload_width, s.strategy, strategy_width,
                   fmt::format("{}/{}", s.solved, s.solvable), s.median_loss_pct, s.mean_loss_pct,
                   s.median_profiles, s.mean_profiles, s.most_profiles, s.median_modes, s.mean_modes,
                   s.violations, s.violations_beyond_1_pct, s.median_decision_ms);
  }
  text +=
      "Loss: median and mean, in % of the optimum. Probes, modes: measured for a solvable problem; median,\n"
      "mean, most.\n";
  return text;
}

}  // namespace fulcrum::eval
