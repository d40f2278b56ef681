#pragma once
// Training in half precision where that is safe. Includes LibTorch: not for headers that other folders see.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace fulcrum::workloads {

// While it lives, operators on a CUDA device choose their precision themselves, if `mixed`: matrix products
// and convolutions run in float16, what needs the range in float32.
class Autocast {
 public:
  explicit Autocast(bool mixed);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool mixed_;
};

// Keeps gradients inside the range of float16: the loss is multiplied before it goes backward, and gradients
// are divided after. PyTorch's GradScaler, with its constants: the scale begins at 65536, halves when a
// gradient is not finite (and that step is left out), and doubles after 2000 steps without.
class LossScale {
 public:
  struct State {
    double scale = 65536;
    std::int64_t steps = 0;  // since it last changed
  };

  double scale() const { return state_.scale; }
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

  // Divides the gradients, and changes the scale for the next step. False if one was not finite: then the
  // optimizer must not step.
  bool unscale(const std::vector<at::Tensor>& parameters);

 private:
  State state_;
};

}  // namespace fulcrum::workloads
