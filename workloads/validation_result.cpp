#include "workloads/validation_result.h"

#include <cmath>

namespace fulcrum::workloads {

Json to_json(const ValidationResult& result) {
  return {{"epoch", result.epoch}, {"accuracy", result.accuracy}, {"loss", result.loss}};
}

bool is_better(const ValidationResult& one, const ValidationResult& than, const EarlyStoppingSpec& by) {
  const bool accuracy = by.metric == "accuracy";
  const double gain = accuracy ? one.accuracy - than.accuracy : than.loss - one.loss;
  const bool one_counts = !std::isnan(accuracy ? one.accuracy : one.loss);
  const bool other_counts = !std::isnan(accuracy ? than.accuracy : than.loss);
  return one_counts && (!other_counts || gain > by.min_delta);
}

bool stops_early(const EarlyStoppingSpec& spec, const std::vector<ValidationResult>& results) {
  int since_best = 0;
  const ValidationResult* best = nullptr;
  for (const auto& result : results) {
    if (best == nullptr || is_better(result, *best, spec)) {
      best = &result;
      since_best = 0;
    } else {
      ++since_best;
    }
    if (since_best >= spec.patience) return true;
  }
  return false;
}

}  // namespace fulcrum::workloads
