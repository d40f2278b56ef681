#include <fmt/format.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "workloads/script_network.h"

namespace fulcrum::workloads {

namespace {

namespace jit = torch::jit;

Unexpected refuse(std::string message, std::string hint) {
  return fail(ErrorCode::invalid_argument, std::move(message), std::move(hint));
}

// The value of the operator's argument `name`, if it has one that is fixed in the graph.
std::optional<c10::IValue> fixed_argument(const jit::Node& node, const c10::FunctionSchema& schema,
                                          const std::string& name) {
  const auto index = schema.argumentIndexWithName(name);
  if (!index || static_cast<std::size_t>(*index) >= node.inputs().size()) return std::nullopt;
  const auto value = jit::toIValue(node.inputs()[static_cast<std::size_t>(*index)]);
  if (!value) return std::nullopt;
  return *value;
}

bool drops_nothing(const jit::Node& node, const c10::FunctionSchema& schema) {
  for (const char* name : {"p", "dropout"}) {
    const auto share = fixed_argument(node, schema, name);
    if (share && share->isDouble() && share->toDouble() == 0) return true;
  }
  return false;
}

// Operators that act otherwise in training than in evaluation, and are fixed to one of the two: how often
// each occurs. torch.jit.trace fixes them; a scripted module asks its attribute `training`.
using FixedOperators = std::map<std::string, int>;

void find_fixed(at::ArrayRef<const jit::Block*> blocks, bool only_training, FixedOperators& found);

void examine(const jit::Node& node, bool only_training, FixedOperators& found) {
  if (const auto* schema = node.maybeSchema(); schema != nullptr && !drops_nothing(node, *schema)) {
    for (const char* name : {"train", "training"}) {
      const auto fixed = fixed_argument(node, *schema, name);
      if (fixed && fixed->isBool() && (fixed->toBool() || !only_training))
        ++found[node.kind().toQualString()];
    }
  }
  find_fixed(node.blocks(), only_training, found);
}

void find_fixed(at::ArrayRef<const jit::Block*> blocks, bool only_training, FixedOperators& found) {
  for (const auto* block : blocks) {
    for (const auto* node : block->nodes())
      examine(*node, only_training, found);
  }
}

Expected<void> check_switch(const jit::Method& forward, bool training) {
  const auto graph = forward.graph()->copy();
  jit::Inline(*graph);
  FixedOperators fixed;
  for (const auto* node : graph->nodes())
    examine(*node, !training, fixed);
  if (fixed.empty()) return {};
  std::string list;
  for (const auto& [name, count] : fixed)
    list += fmt::format("{}{} ({} of them)", list.empty() ? "" : ", ", name, count);
  if (training) {
    return refuse(
        "the network cannot be switched between training and evaluation; fixed to one of them: " + list,
        "a traced module has no such switch: export it with torch.jit.script(model)");
  }
  return refuse(
      "parts of the network always act as in training, so that answers depend on chance or on the "
      "batch: " +
          list,
      "call model.eval() before torch.jit.trace, or export with torch.jit.script(model)");
}

Expected<void> check_arguments(const jit::Method& forward, bool loss_in_model) {
  const auto& schema = forward.function().getSchema();
  const auto& arguments = schema.arguments();  // the first is self
  const auto required =
      static_cast<std::size_t>(std::count_if(arguments.begin() + 1, arguments.end(),
                                             [](const auto& argument) { return !argument.default_value(); }));
  const std::size_t given = loss_in_model ? 2 : 1;
  if (arguments.size() - 1 >= given && required <= given) return {};
  std::ostringstream signature;
  signature << schema;
  if (loss_in_model) {
    return refuse(
        fmt::format("loss 'in_model' calls forward(input, target), but the model has {}", signature.str()),
        "let forward take the batch and its targets and return the loss, or choose another loss");
  }
  return refuse(fmt::format("the model is called as forward(input), but it has {}", signature.str()),
                given < required ? "if forward(input, target) returns the loss, say \"loss\": \"in_model\""
                                 : "let forward take the batch as its only argument");
}

Expected<void> check_parameters(const jit::Module& module) {
  std::size_t all = 0;
  for (const auto& parameter : module.parameters()) {
    if (parameter.requires_grad()) return {};
    ++all;
  }
  if (all > 0) {
    return refuse(
        fmt::format("none of the model's {} parameters is to be trained: requires_grad is False", all),
        "set requires_grad_(True) on those to train before the export");
  }
  return refuse("the model has no parameters, so that there is nothing to train",
                "export it as it is before torch.jit.freeze, which makes constants of them");
}

}  // namespace

Expected<void> check_script(const jit::Module& module, const JobSpec& spec) {
  const auto forward = module.find_method("forward");
  if (!forward) {
    return refuse("the model has no method 'forward'",
                  "script the nn.Module itself, or name the method that is to be run 'forward'");
  }
  const auto* training = spec.training();
  FULCRUM_TRY(check_arguments(*forward, training != nullptr && training->optimization.loss == "in_model"));
  if (training != nullptr) FULCRUM_TRY(check_parameters(module));
  return check_switch(*forward, training != nullptr);
}

}  // namespace fulcrum::workloads
