// Why this mode: what was asked, what was chosen, which budget binds, what comes next, and what it rests on.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cli/render.h"
#include "cli/render_parts.h"
#include "cli/render_plan.h"

namespace fulcrum::cli {

namespace {

// A kind of problem in words.
struct Goal {
  const char* kind;
  const char* words;
  const char* objective;  // and how another is better or worse
  const char* better;
  const char* worse;
  bool trains;
  bool infers;
};
constexpr std::array<Goal, 3> kGoals{{
    {"train", "the most training", "training ", "faster", "slower", true, false},
    {"infer", "the least latency", "latency ", "shorter", "longer", false, true},
    {"concurrent", "the most training beside inference", "training ", "faster", "slower", true, true},
}};
constexpr Goal kAnyGoal{"", "", "", "better", "worse", true, true};

const Goal& goal_of(const Json& problem) {
  const auto kind = text_in(problem, "kind");
  const auto* goal =
      std::find_if(kGoals.begin(), kGoals.end(), [&](const Goal& g) { return g.kind == kind; });
  return goal == kGoals.end() ? kAnyGoal : *goal;
}

// A constraint in words.
struct Limit {
  const char* constraint;
  const char* words;
  const char* with;  // before what is needed
  const char* unit;  // after a number
  bool needs_more;   // else less of it
};
constexpr std::array<Limit, 4> kLimits{{
    {"power", "power budget", "with", " W", true},
    {"latency", "latency budget", "with", " ms", true},
    {"arrival_rate", "arrival rate", "at", "/s", false},
    {"deadlines", "time before the inference jobs' deadlines", "with", " %", true},
}};

const Limit* limit_of(const Json& binding) {
  const auto constraint = text_in(binding, "constraint");
  const auto* limit = std::find_if(kLimits.begin(), kLimits.end(),
                                   [&](const Limit& l) { return l.constraint == constraint; });
  return limit == kLimits.end() ? nullptr : limit;
}

// To hundredths, and to the side on which it is still enough.
double enough(double value, bool needs_more) {
  constexpr double kNothing = 1e-6;  // what the multiplication may add
  return needs_more ? std::ceil(value * 100 - kNothing) / 100 : std::floor(value * 100 + kNothing) / 100;
}

// "with 31.2 W"; "" if the answer does not say.
std::string needed_text(const Json& binding) {
  const auto* limit = limit_of(binding);
  const auto needed = number_in(binding, "needed");
  if (limit == nullptr || !needed) return {};
  return fmt::format("{} {:g}{}", limit->with, enough(*needed, limit->needs_more), limit->unit);
}

// "training 4.1 % faster"
std::string gain_text(const Goal& goal, const Json& alternative) {
  const auto gain = number_in(alternative, "gain_percent");
  if (!gain) return {};
  if (std::abs(*gain) < 0.05) return fmt::format("{}the same", goal.objective);
  return fmt::format("{}{:.1f} % {}", goal.objective, std::abs(*gain), *gain > 0 ? goal.better : goal.worse);
}

// "power budget: with 31.2 W instead of 30 W, training 4.1 % faster"
std::string limit_text(const Goal& goal, const Json& choice) {
  const Json& binding = object_in(choice, "binding");
  if (binding.empty()) return "none: nothing better is profiled";
  const auto* limit = limit_of(binding);
  if (limit == nullptr) return {};
  std::string text = limit->words;
  if (const auto needed = needed_text(binding); !needed.empty()) text += ": " + needed;
  if (const auto budget = number_text(binding, "budget", "{:g}"); !budget.empty())
    text += fmt::format(" instead of {}{}", budget, limit->unit);
  if (const auto gain = gain_text(goal, object_in(binding, "rules_out")); !gain.empty()) text += ", " + gain;
  return text;
}

// "32.1 W: training 4.1 % faster; 33 W: ..."
std::string offers_text(const Goal& goal, const Json& choice, const char* list, const char* unit) {
  std::vector<std::string> steps;
  for (const auto& offer : list_in(choice, list)) {
    const auto budget = number_in(offer, "budget");
    const auto gain = gain_text(goal, object_in(offer, "way"));
    if (budget && !gain.empty())
      steps.push_back(fmt::format("{:g}{}: {}", enough(*budget, true), unit, gain));
  }
  return joined(steps, "; ");
}

bool infers_for_several(const Json& problem) {
  return number_in(problem, "inference_jobs").value_or(1) > 1;
}

std::string goal_text(const Goal& goal, const Json& problem) {
  std::string text = goal.words;
  if (!text.empty() && goal.infers) text += number_text(problem, "arrival_rate_hz", " at {:g} requests/s");
  if (infers_for_several(problem)) text += number_text(problem, "inference_jobs", " of {:.0f} jobs");
  return text;
}

std::string batch_text(const Goal& goal, const Json& problem, const Json& choice) {
  std::vector<std::string> parts;
  if (goal.infers) {
    add_number(
        parts, choice, "batch_size",
        infers_for_several(problem) ? "{:.0f} for a batch of each inference job" : "{:.0f} for inference");
    std::vector<std::string> allowed;
    for (const auto& size : list_in(problem, "inference_batch_sizes"))
      allowed.push_back(scalar_text(size));
    if (!parts.empty() && !allowed.empty()) parts.back() += fmt::format(" (of {})", joined(allowed, ", "));
  }
  if (goal.trains) add_number(parts, problem, "training_batch_size", "{:.0f} for training");
  return joined(parts, ", ");
}

// "(+- 0.3)" behind what was added last.
void add_uncertainty(std::vector<std::string>& parts, const Json& choice, const char* what,
                     const char* format) {
  const auto deviation = number_in(object_in(choice, "uncertainty"), what);
  if (parts.empty() || !deviation || *deviation <= 0) return;
  parts.back() += fmt::format(" (+- {})", fmt::format(fmt::runtime(format), *deviation));
}

// Without a choice something may run all the same, as the plan has it.
std::string power_text(const Json& problem, const Json& choice, const Json& plan, const Json& watch) {
  std::vector<std::string> parts;
  if (choice.empty()) {
    add_number(parts, plan, "expected_power_w", "{:.1f} W expected");
  } else {
    add_number(parts, choice, "power_w", "{:.1f} W expected");
    add_uncertainty(parts, choice, "power_w", "{:.1f}");
  }
  add_number(parts, problem, "power_budget_w", "budget {:g} W");
  if (problem.contains("power_budget_w") && problem.at("power_budget_w").is_null())
    parts.emplace_back("no budget");
  add_number(parts, watch, "power_w", "{:.1f} W drawn");
  if (const auto factor = number_in(watch, "power_factor"); factor && *factor != 1)
    parts.push_back(fmt::format("{:.2f} times what was profiled", *factor));
  return joined(parts, ", ");
}

// What came of the requests of a job lately.
void add_watched_latency(std::vector<std::string>& parts, const Json& job) {
  const auto requests = number_text(job, "requests", "{:.0f}");
  if (!requests.empty())
    add_number(parts, job, "inside_budget", ("{:.1f} % of the last " + requests + " inside").c_str(), 100);
}

void add_latency(Table& head, const Goal& goal, const Json& problem, const Json& choice, const Json& watch) {
  if (!goal.infers) return;
  std::vector<std::string> parts;
  add_number(parts, choice, "latency_ms", "{:.1f} ms expected");
  add_uncertainty(parts, choice, "latency_ms", "{:.1f}");
  add_number(parts, problem, "latency_budget_ms", "budget {:g} ms");
  if (const Json& jobs = list_in(watch, "latency"); !jobs.empty()) add_watched_latency(parts, jobs.front());
  add_row(head, "latency", joined(parts, ", "));
}

// Several jobs have a budget each.
void add_latencies(Table& head, const Json& plan, const Json& watch) {
  const char* title = "latency";
  for (const auto& share : list_in(plan, "inference")) {
    std::vector<std::string> parts;
    add_number(parts, share, "expected_latency_ms", "{:.1f} ms expected");
    add_number(parts, share, "latency_budget_ms", "budget {:g} ms");
    for (const auto& job : list_in(watch, "latency")) {
      if (number_in(job, "job") == number_in(share, "job")) add_watched_latency(parts, job);
    }
    head.add({title, fmt::format("{}: {}", text_in(share, "name"), joined(parts, ", "))});
    title = "";
  }
}

std::string training_text(const Goal& goal, const Json& choice, const Json& plan) {
  std::vector<std::string> parts;
  if (!goal.trains) return {};
  add_number(parts, choice, "train_throughput_hz", "{:.1f} minibatches/s expected");
  add_uncertainty(parts, choice, "train_throughput_hz", "{:.1f}");
  if (goal.infers) {
    add_number(parts, choice, "training_per_window", "{:.0f} in each window");
    if (parts.size() == 2) parts.back() += number_text(plan, "window_ms", " of {:.1f} ms");
  }
  return joined(parts, ", ");
}

std::string search_row(const Json& search, const Json& problem, const Json& compared_in) {
  std::vector<std::string> parts;
  for (const auto* name : {"strategy", "state"}) {
    if (auto text = text_in(search, name); !text.empty()) parts.push_back(std::move(text));
  }
  if (auto effort = effort_text(search, number_in(problem, "modes")); !effort.empty())
    parts.push_back(std::move(effort));
  if (const auto compared = number_in(compared_in, "compared"))
    parts.push_back(fmt::format("{:.0f} ways to run compared", *compared));
  return joined(parts, ", ");
}

void add_probing(Table& head, const Json& probing) {
  if (probing.empty()) return;
  head.add({"probing", number_text(probing, "job", "job {:.0f}: ") + measuring_text(probing)});
}

void add_warnings(Table& head, const Json& plan) {
  add_paragraph(head, "warning", text_in(plan, "warning"));
  for (const auto* kind : {"inference", "training"}) {
    for (const auto& share : list_in(plan, kind)) {
      if (const auto warning = text_in(share, "warning"); !warning.empty())
        add_paragraph(head, "warning", fmt::format("{}: {}", text_in(share, "name"), warning));
    }
  }
}

// The mode that is set and, if it is another or none is, the one that was chosen.
void add_modes(Table& head, const Json& plan, const Json& choice) {
  add_row(head, "mode", named_mode_text(plan));
  const Json& chosen = object_in(choice, "mode");
  if (chosen != object_in(plan, "mode")) add_row(head, plan.empty() ? "mode" : "chosen", mode_text(chosen));
}

void add_choice(Table& head, const Goal& goal, const Json& choice) {
  if (choice.empty()) return;
  if (choice.contains("binding")) add_row(head, "limit", limit_text(goal, choice));
  add_row(head, "more power", offers_text(goal, choice, "more_power", " W"));
  add_row(head, "more time", offers_text(goal, choice, "more_latency", " ms"));
  const Json& runner_up = object_in(choice, "runner_up");
  if (!runner_up.empty()) {
    add_row(head, "runner-up", gain_text(goal, runner_up));
  } else if (choice.contains("runner_up")) {
    add_row(head, "runner-up", "none: no other profiled mode keeps the budgets");
  }
}

// "a power budget of 12.31 W, for batch 4 in 8 cores, ..."
std::string nearest_text(const Json& nearest, const char* budget, const char* unit) {
  const auto value = number_in(nearest, "value");
  if (!value) return {};
  std::string text = fmt::format("a {} budget of {:g} {}", budget, enough(*value, true), unit);
  std::vector<std::string> way;
  if (number_in(nearest, "batch_size").value_or(0) > 0)
    add_number(way, nearest, "batch_size", "batch {:.0f}");
  if (auto mode = mode_text(object_in(nearest, "mode")); !mode.empty()) way.push_back("in " + mode);
  return way.empty() ? text : fmt::format("{}: {}", text, joined(way, " "));
}

void add_infeasible(Table& head, const Json& infeasible) {
  if (infeasible.empty()) return;
  add_paragraph(head, "infeasible", text_in(infeasible, "reason"));
  const char* title = "would do";
  for (const auto& text : {nearest_text(object_in(infeasible, "power_budget_w"), "power", "W"),
                           nearest_text(object_in(infeasible, "latency_budget_ms"), "latency", "ms")}) {
    if (text.empty()) continue;
    head.add({title, text});
    title = "or";
  }
}

// The choice beside what it is compared with.
std::string ways_table(const Goal& goal, const Json& problem, const Json& choice) {
  const bool one_latency = goal.infers && !infers_for_several(problem);
  Table table;
  const auto add = [&](const std::string& name, const Json& way) {
    std::vector<std::string> row{name};
    if (goal.infers) row.push_back(number_text(way, "batch_size", "{:.0f}"));
    if (goal.trains) row.push_back(number_text(way, "train_throughput_hz", "{:.1f}/s"));
    if (one_latency) row.push_back(number_text(way, "latency_ms", "{:.1f} ms"));
    row.insert(row.end(), {number_text(way, "power_w", "{:.1f} W"), mode_text(object_in(way, "mode"))});
    table.add(std::move(row));
  };
  std::vector<std::string> titles{"WAY TO RUN"};
  if (goal.infers) titles.emplace_back("BATCH");
  if (goal.trains) titles.emplace_back("TRAINING");
  if (one_latency) titles.emplace_back("LATENCY");
  titles.insert(titles.end(), {"POWER", "MODE"});
  table.add(std::move(titles));
  add("chosen", choice);
  const Json& binding = object_in(choice, "binding");
  if (const Json& better = object_in(binding, "rules_out"); !better.empty())
    add(needed_text(binding), better);
  if (const Json& runner_up = object_in(choice, "runner_up"); !runner_up.empty()) add("runner-up", runner_up);
  return "\n" + table.to_string();
}

std::string profiles_table(const Json& profiles) {
  Table table;
  table.add({"PROFILE", "BATCH", "P50", "P99", "POWER", "MODE"});
  for (const auto& profile : profiles) {
    table.add({text_in(profile, "task"), number_text(profile, "batch_size", "{:.0f}"),
               number_text(profile, "p50_ms", "{:.2f} ms"), number_text(profile, "p99_ms", "{:.2f} ms"),
               number_text(profile, "power_w", "{:.1f} W"), mode_text(object_in(profile, "mode"))});
  }
  return "\n" + table.to_string();
}

}  // namespace

std::string render_explanation(const Json& answer) {
  const Json& plan = object_in(answer, "plan");
  const Json& search = object_in(answer, "search");
  const Json& problem = object_in(answer, "problem");
  const Json& choice = object_in(answer, "choice");
  const Json& infeasible = object_in(answer, "infeasible");
  const Goal& goal = goal_of(problem);
  Table head;
  add_troubles(head, answer);
  add_row(head, "goal", goal_text(goal, problem));
  add_modes(head, plan, choice);
  add_row(head, "batch size", batch_text(goal, problem, choice));
  add_row(head, "power", power_text(problem, choice, plan, object_in(answer, "watch")));
  if (infers_for_several(problem)) {
    add_latencies(head, plan, object_in(answer, "watch"));
  } else {
    add_latency(head, goal, problem, choice, object_in(answer, "watch"));
  }
  add_row(head, "training", training_text(goal, choice, plan));
  add_choice(head, goal, choice);
  add_infeasible(head, infeasible);
  add_row(head, "search", search_row(search, problem, choice.empty() ? infeasible : choice));
  add_probing(head, object_in(search, "probing"));
  add_warnings(head, plan);
  add_notes(head, answer);
  std::string text = head.to_string();
  if (plan.empty() && problem.empty() && choice.empty()) text += kNothingPlanned;
  if (!choice.empty()) text += ways_table(goal, problem, choice);
  if (const Json& profiles = list_in(choice, "profiles"); !profiles.empty()) text += profiles_table(profiles);
  return text;
}

}  // namespace fulcrum::cli
