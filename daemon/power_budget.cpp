#include "daemon/power_budget.h"

#include <fmt/format.h>

#include <utility>

#include "common/durable_file.h"
#include "common/finite.h"

namespace fulcrum::daemon {

namespace {

constexpr std::size_t kMaxFileBytes = 4096;

Expected<std::optional<double>> parse(const std::string& text, const std::string& path) {
  const auto json = parse_json(text);
  if (json && json->is_object() && json->contains("power_w")) {
    const auto& power = json->at("power_w");
    if (power.is_null()) return std::optional<double>();
    if (power.is_number() && finite_and_positive(power.get<double>()))
      return std::optional<double>(power.get<double>());
  }
  return fail(ErrorCode::corrupt, fmt::format("'{}' is no power budget", path),
              "remove it to return to the configured budget");
}

}  // namespace

Expected<PowerBudget> PowerBudget::open(std::string path, std::optional<double> configured_w) {
  PowerBudget budget(std::move(path), configured_w);
  auto text = read_file(budget.path_, kMaxFileBytes);
  if (!text && text.error().code == ErrorCode::not_found) return budget;
  if (!text) return in_context(std::move(text).error(), "reading the power budget");
  FULCRUM_TRY_ASSIGN(power_w, parse(*text, budget.path_));
  budget.is_set_ = true;
  budget.set_w_ = power_w;
  return budget;
}

Expected<void> PowerBudget::set(std::optional<double> power_w) {
  if (power_w && !finite_and_positive(*power_w))
    return fail(ErrorCode::invalid_argument, fmt::format("{} W is no power budget", *power_w));
  FULCRUM_TRY(replace_file(path_, to_line(Json{{"power_w", json_or_null(power_w)}}) + "\n"));
  is_set_ = true;
  set_w_ = power_w;
  return {};
}

Expected<void> PowerBudget::reset() {
  FULCRUM_TRY(remove_file_durably(path_));
  is_set_ = false;
  set_w_.reset();
  return {};
}

Json PowerBudget::to_json() const {
  const char* source = is_set_ ? "set" : configured_w_ ? "config" : "none";
  return {{"power_w", json_or_null(power_w())},
          {"source", source},
          {"config_power_w", json_or_null(configured_w_)}};
}

}  // namespace fulcrum::daemon
