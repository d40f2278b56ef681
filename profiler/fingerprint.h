#pragma once
// The fingerprint of a workload: two jobs with the same fingerprint have steps that cost the same, so that
// what was measured for one holds for the other.
//
// It is taken of the canonical form of the workload, a JSON object on one line with its names in alphabetical
// order and no blanks:
//
//   {"class"?: "light-cnn",                      on a simulated board, whose times follow the class
//    "data": {"format": "idx"},
//    "format": 1,
//    "loader"?: {"prefetch": 2, "workers": 4},   training
//    "loss"?: "cross_entropy",                   training
//    "model": {"builtin": "lenet5", "num_classes": 10},
//    "optimizer"?: {"momentum": true, "name": "sgd"},   training; whether there is momentum, not how much
//    "task": "training",
//    "threads": 4}
//
// A built-in model's name stands for the shape of its input. What is not there does not matter to a step:
// names, paths, seeds, epochs, rates, budgets, validation, checkpoints; and the batch size, which is a part
// of the measurement's key beside the fingerprint.
//
// Fingerprints outlive versions of Fulcrum. A trait that is added later is written only where it differs from
// what every earlier workload had. "format" changes if the meaning of a trait ever has to, which makes every
// stored measurement worthless.

#include <string>
#include <string_view>

#include "common/job_spec.h"
#include "common/json_text.h"

namespace fulcrum::profiler {

// What a job spec does not say.
struct ExecutionTraits {
  bool simulated_board = false;
  int threads = 1;  // that one step computes with
};

Json canonical_workload(const JobSpec& spec, const ExecutionTraits& traits);

// 16 hexadecimal digits: the FNV-1a hash (64 bits) of the canonical form.
std::string fingerprint_of(const Json& canonical_workload);
std::string workload_fingerprint(const JobSpec& spec, const ExecutionTraits& traits);

bool is_fingerprint(std::string_view text);

}  // namespace fulcrum::profiler
