#pragma once
// Job specs as a client sends them, on data sets that the test writes.

#include <string>

#include "common/json_text.h"
#include "tests/support/tiny_dataset.h"

namespace fulcrum::test {

// 320 samples in minibatches of 16: 20 steps an epoch.
inline Json training_json(const std::string& directory, int epochs) {
  const auto dataset = write_tiny_dataset(directory, "train", 320, 4, 1);
  const auto validation = write_tiny_dataset(directory, "test", 80, 4, 2);
  return {{"kind", "training"},
          {"name", "fashion"},
          {"model", {{"builtin", "lenet5"}, {"num_classes", 4}}},
          {"dataset", dataset.to_json()},
          {"validation", {{"dataset", validation.to_json()}, {"every_epochs", 5}}},
          {"batch_size", 16},
          {"epochs", epochs},
          {"seed", 3},
          {"loader", {{"workers", 2}, {"prefetch", 2}}},
          {"checkpoint", {{"every_s", 0.2}}},
          {"output", directory + "/weights.pt"}};
}

inline Json inference_json(const std::string& directory, double rate_hz) {
  const auto dataset = write_tiny_dataset(directory, "requests", 64, 4, 3);
  return {{"kind", "inference"},
          {"name", "camera"},
          {"model", {{"builtin", "lenet5"}, {"num_classes", 4}}},
          {"latency_budget_ms", 200},
          {"arrival", {{"rate_hz", rate_hz}}},
          {"batch_sizes", {1, 4}},
          {"source",
           {{"kind", "replay"},
            {"process", "poisson"},
            {"rate_hz", rate_hz},
            {"seed", 1},
            {"dataset", dataset.to_json()}}}};
}

}  // namespace fulcrum::test
