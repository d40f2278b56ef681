#include "workloads/mixed_precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>

namespace fulcrum::workloads {

namespace {
constexpr std::int64_t kStepsToGrow = 2000;
constexpr double kLargestScale = 1e30;  // float32 holds it
}  // namespace

Autocast::Autocast(bool mixed) : mixed_(mixed) {
  if (!mixed_) return;
  at::autocast::increment_nesting();
  at::autocast::set_enabled(true);
}

Autocast::~Autocast() {
  if (!mixed_) return;
  at::autocast::set_enabled(false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

bool LossScale::unscale(const std::vector<at::Tensor>& parameters) {
  at::Tensor finite;
  for (const auto& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    parameter.mutable_grad().mul_(1 / state_.scale);
    const at::Tensor these = at::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite.logical_and_(these) : these;
  }
  if (finite.defined() && !finite.item<bool>()) {
    state_ = {std::max(state_.scale / 2, 1.0), 0};
    return false;
  }
  if (++state_.steps == kStepsToGrow) state_ = {std::min(state_.scale * 2, kLargestScale), 0};
  return true;
}

}  // namespace fulcrum::workloads
