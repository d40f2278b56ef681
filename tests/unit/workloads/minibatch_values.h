#pragma once
// The numbers of a minibatch, for tests.

#include <cstdint>
#include <vector>

#include "workloads/minibatch.h"

namespace fulcrum::test {

inline std::vector<float> inputs_of(const workloads::Minibatch& minibatch) {
  const float* first = minibatch.float_inputs();
  return {first, first + minibatch.count * minibatch.layout->input.elements()};
}

inline std::vector<std::int64_t> int_inputs_of(const workloads::Minibatch& minibatch) {
  const std::int64_t* first = minibatch.int_inputs();
  return {first, first + minibatch.count * minibatch.layout->input.elements()};
}

inline std::vector<std::int64_t> targets_of(const workloads::Minibatch& minibatch) {
  const std::int64_t* first = minibatch.int_targets();
  return {first, first + minibatch.count * minibatch.layout->target.elements()};
}

inline std::vector<float> float_targets_of(const workloads::Minibatch& minibatch) {
  const float* first = minibatch.float_targets();
  return {first, first + minibatch.count * minibatch.layout->target.elements()};
}

// One float, and a class.
inline workloads::SampleLayout one_number() {
  workloads::SampleLayout layout;
  layout.input.shape = {1};
  return layout;
}

}  // namespace fulcrum::test
