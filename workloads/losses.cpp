#include "workloads/losses.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

namespace fulcrum::workloads {

namespace {

void check_logits(const std::string& name, const at::Tensor& output, const at::Tensor& targets) {
  TORCH_CHECK(output.dim() == 2 && output.size(0) == targets.size(0) && targets.dim() == 1, "loss '", name,
              "' takes an output [n, classes] for n class labels, but the model's output is ", output.sizes(),
              " for targets ", targets.sizes(),
              "; a model with another output can compute its loss itself "
              "(\"loss\": \"in_model\")");
}

// Targets of the output's shape and type.
at::Tensor as_values(const std::string& name, const at::Tensor& output, const at::Tensor& targets) {
  if (targets.sizes() == output.sizes()) return targets.to(output.scalar_type());
  const bool labels = !targets.is_floating_point() && targets.dim() == 1 && output.dim() == 2 &&
                      output.size(0) == targets.size(0);
  if (labels && output.size(1) == 1) return targets.unsqueeze(1).to(output.scalar_type());
  if (labels) return at::zeros_like(output).scatter_(1, targets.unsqueeze(1), 1.0);
  TORCH_CHECK(false, "loss '", name, "' takes targets of the output's shape, but the model's output is ",
              output.sizes(), " and the targets are ", targets.sizes());
}

}  // namespace

at::Tensor mean_loss(const std::string& name, const at::Tensor& output, const at::Tensor& targets) {
  TORCH_CHECK(output.is_floating_point(), "the model's output is of type ", output.scalar_type(),
              ", not of floating-point numbers, which loss '", name, "' takes");
  if (name == "cross_entropy" || name == "nll") {
    check_logits(name, output, targets);
    return name == "nll" ? at::nll_loss(output, targets) : at::cross_entropy_loss(output, targets);
  }
  const at::Tensor values = as_values(name, output.detach(), targets);
  if (name == "mse") return at::mse_loss(output, values);
  TORCH_CHECK(name == "bce_with_logits", "unknown loss '", name, "'");
  return at::binary_cross_entropy_with_logits(output, values);
}

void check_labels(const at::Tensor& output, const Minibatch& minibatch) {
  TORCH_CHECK(minibatch.layout->has_class(), "the targets are no classes");
  if (output.dim() < 2) return;
  const std::int64_t classes = output.size(1);
  for (std::size_t i = 0; i < minibatch.size(); ++i) {
    const std::int64_t label = minibatch.int_targets()[i];
    TORCH_CHECK(label >= 0 && label < classes, "a sample's label is ", label, ", but the model tells ",
                classes, " classes apart, 0 to ", classes - 1);
  }
}

}  // namespace fulcrum::workloads
