// How a choice, or its absence, is shown.

#include "scheduler/choice.h"

namespace fulcrum::scheduler {

namespace {

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? value->to_json() : Json();
}

Json list(const std::vector<Offer>& offers) {
  Json json = Json::array();
  for (const auto& offer : offers)
    json.push_back(offer.to_json());
  return json;
}

}  // namespace

std::string_view to_string(Constraint constraint) {
  switch (constraint) {
    case Constraint::power:
      return "power";
    case Constraint::latency:
      return "latency";
    case Constraint::deadlines:
      return "deadlines";
    case Constraint::arrival_rate:
      break;
  }
  return "arrival_rate";
}

Json Alternative::to_json() const {
  return {{"mode", mode.to_json()},
          {"batch_size", batch_size},
          {"train_throughput_hz", train_throughput_hz},
          {"latency_ms", latency_ms},
          {"power_w", power_w},
          {"gain_percent", gain_percent ? Json(*gain_percent) : Json()}};
}

Json Binding::to_json() const {
  return {{"constraint", to_string(constraint)},
          {"budget", budget},
          {"used", used},
          {"needed", needed},
          {"rules_out", rules_out.to_json()}};
}

Json Offer::to_json() const {
  return {{"budget", budget}, {"way", way.to_json()}};
}

Json Uncertainty::to_json() const {
  return {{"train_throughput_hz", train_throughput_hz}, {"latency_ms", latency_ms}, {"power_w", power_w}};
}

Json Choice::to_json() const {
  Json rests_on = Json::array();
  for (const auto& profile : profiles)
    rests_on.push_back(profile.to_json());
  return {{"mode", mode.to_json()},
          {"batch_size", batch_size},
          {"training_per_window", training_per_window},
          {"train_throughput_hz", train_throughput_hz},
          {"latency_ms", latency_ms},
          {"power_w", power_w},
          {"uncertainty", uncertainty.to_json()},
          {"more_power", list(more_power)},
          {"more_latency", list(more_latency)},
          {"binding", json_or_null(binding)},
          {"runner_up", json_or_null(runner_up)},
          {"profiles", std::move(rests_on)},
          {"compared", compared}};
}

Json NearestBudget::to_json() const {
  return {{"value", value}, {"mode", mode.to_json()}, {"batch_size", batch_size}};
}

Json Infeasible::to_json() const {
  return {{"reason", reason},
          {"proved", proved},
          {"power_budget_w", json_or_null(power_budget_w)},
          {"latency_budget_ms", json_or_null(latency_budget_ms)},
          {"compared", compared}};
}

}  // namespace fulcrum::scheduler
