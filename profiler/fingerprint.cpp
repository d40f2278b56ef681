#include "profiler/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace fulcrum::profiler {

namespace {

constexpr int kFingerprintFormat = 1;
constexpr std::size_t kDigits = 16;

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x00000100000001b3;
  }
  return hash;
}

void add_training(const TrainingSpec& spec, Json& workload) {
  workload["data"] = spec.dataset.cost_traits();
  const OptimizationSpec& how = spec.optimization;
  workload["loss"] = how.loss;
  workload["optimizer"] = {{"name", how.optimizer.name}, {"momentum", how.optimizer.momentum > 0}};
  if (how.clipping) workload["clip_gradients"] = how.clipping->norm ? "norm" : "value";
  if (how.micro_batch_size > 0) workload["micro_batch_size"] = how.micro_batch_size;
  if (how.precision != "float32") workload["precision"] = how.precision;
  workload["loader"] = {{"workers", spec.loader.workers}, {"prefetch", spec.loader.prefetch}};
}

void add_inference(const InferenceSpec& spec, Json& workload) {
  workload["data"] = spec.source.dataset.cost_traits();
}

}  // namespace

Json canonical_workload(const JobSpec& spec, const ExecutionTraits& traits) {
  Json workload{{"format", kFingerprintFormat},
                {"task", std::string(spec.kind_name())},
                {"model", to_json(spec.model)},
                {"threads", traits.threads}};
  if (traits.simulated_board) workload["class"] = spec.workload_class;
  if (const auto* training = spec.training()) {
    add_training(*training, workload);
  } else {
    add_inference(*spec.inference(), workload);
  }
  return workload;
}

std::string fingerprint_of(const Json& canonical_workload) {
  return fmt::format("{:016x}", fnv1a(to_line(canonical_workload)));
}

std::string workload_fingerprint(const JobSpec& spec, const ExecutionTraits& traits) {
  return fingerprint_of(canonical_workload(spec, traits));
}

bool is_fingerprint(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kDigits && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace fulcrum::profiler
