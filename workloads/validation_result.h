#pragma once
// How well a network did on data that it does not learn from, and when that says that it learns no more.

#include <vector>

#include "common/job_spec.h"
#include "common/json_text.h"

namespace fulcrum::workloads {

struct ValidationResult {
  int epoch = 0;        // epochs trained when it was measured
  double accuracy = 0;  // not a number for a loss that is not of class labels
  double loss = 0;      // mean over the samples
};

Json to_json(const ValidationResult& result);  // what is not a number prints as null

// `one` has the greater accuracy or the smaller loss, by more than min_delta. What is not a number is never
// better, and anything is better than it.
bool is_better(const ValidationResult& one, const ValidationResult& than, const EarlyStoppingSpec& by);

// The last `patience` results were not better than the best one before them.
bool stops_early(const EarlyStoppingSpec& spec, const std::vector<ValidationResult>& results);

}  // namespace fulcrum::workloads
