// Why things are as they are: the answer of plan.explain.

#include "daemon/pilot.h"

namespace fulcrum::daemon {

namespace {

Json problem_json(const scheduler::Problem& problem) {
  Json json{{"kind", to_string(problem.kind)}, {"modes", problem.grid.size()}};
  if (problem.infers()) {
    json["inference_jobs"] = problem.several ? problem.several->jobs : 1;
    if (!problem.several) json["latency_budget_ms"] = problem.latency_budget_ms;
    json["arrival_rate_hz"] = problem.arrival_rate_hz;
    json["inference_batch_sizes"] = problem.inference_batch_sizes;
  }
  if (problem.trains()) json["training_batch_size"] = problem.training_batch_size;
  return json;
}

Json probing_json(const ProbeRun& probe) {
  const auto& key = probe.key();
  return {{"job", probe.job()},
          {"task", to_string(key.task)},
          {"mode", key.mode.to_json()},
          {"batch_size", key.batch_size}};
}

Json latency_json(const std::map<JobId, LatencyWatch>& watches) {
  Json jobs = Json::array();
  for (const auto& [id, watch] : watches) {
    if (const auto& window = watch.last())
      jobs.push_back({{"job", id}, {"requests", window->requests}, {"inside_budget", window->inside}});
  }
  return jobs;
}

}  // namespace

Json Pilot::explain() const {
  Json json{{"search", nullptr},
            {"problem", nullptr},
            {"choice", nullptr},
            {"infeasible", nullptr},
            {"notes", plan_ ? Json(plan_->notes) : Json::array()},
            {"watch",
             {{"power_w", json_or_null(power_watch_.mean_w())},
              {"power_factor", power_factor_},
              {"latency", latency_json(latency_watches_)}}}};
  if (board_.fixed_mode()) {
    json["notes"].push_back("the configuration fixes the power mode: nothing is searched for");
    return json;
  }
  if (search_) {
    json["search"] = {{"strategy", deliberation_.strategy()},
                      {"state", search_->over ? "settled" : "searching"},
                      {"probes", search_->probes},
                      {"modes", search_->modes.size()},
                      {"seconds", search_->over ? search_->took_s : to_s(clock_.now() - search_->begun)},
                      {"explore_left", explore_left_},
                      {"probing", probe_ ? probing_json(*probe_) : Json()}};
  }
  if (!settlement_ || jobs_.empty()) return json;
  json["problem"] = problem_json(settlement_->problem);
  json["problem"]["power_budget_w"] = json_or_null(budget_.power_w());
  if (settlement_->choice) json["choice"] = settlement_->choice->to_json();
  if (settlement_->infeasible) json["infeasible"] = settlement_->infeasible->to_json();
  return json;
}

}  // namespace fulcrum::daemon
