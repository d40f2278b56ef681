#pragma once
// The learning rate as a function of the step: without a state of its own, so that a resumed run needs none.

#include <cstdint>

#include "common/optimization_spec.h"

namespace fulcrum::workloads {

// What the optimizer's rate is multiplied by in the training step that `step` others came before. As
// PyTorch's StepLR (stepped once an epoch) and CosineAnnealingLR (stepped once a minibatch, from the end of
// the warm-up on), with a linear warm-up in front that reaches 1 in its last step.
double lr_factor(const ScheduleSpec& schedule, std::uint64_t step, std::uint64_t steps_per_epoch);

}  // namespace fulcrum::workloads
