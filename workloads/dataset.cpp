#include "workloads/dataset.h"

#include <fmt/format.h>

#include <exception>

#include "workloads/dataset_formats.h"

namespace fulcrum::workloads {

Expected<Minibatch> Dataset::read(const std::vector<std::size_t>& samples, const ReadContext& context) const {
  for (const std::size_t sample : samples) {
    if (sample < size()) continue;
    return fail(ErrorCode::invalid_argument, fmt::format("sample {} of a data set of {}", sample, size()));
  }
  Minibatch minibatch;
  minibatch.layout = layout_;
  minibatch.count = samples.size();
  const std::size_t input_bytes = samples.size() * layout().input.bytes();
  const std::size_t target_bytes = samples.size() * layout().target.bytes();
  const auto take = [&context](std::size_t bytes) {
    return context.memory != nullptr ? context.memory->take(bytes) : BatchMemory::from_heap(bytes);
  };
  try {
    minibatch.inputs = take(input_bytes);
    minibatch.targets = take(target_bytes);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("a minibatch of {} samples, {} bytes, does not fit into memory", samples.size(),
                            input_bytes + target_bytes),
                "make batch_size smaller");
  }
  FULCRUM_TRY(fill(samples, context, {minibatch.inputs.get(), minibatch.targets.get()}));
  return minibatch;
}

Expected<void> check_label(const std::string& where, std::int64_t label, std::size_t sample,
                           std::optional<int> num_classes) {
  if (label >= 0 && (!num_classes || label < *num_classes)) return {};
  if (label < 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}': label {} of sample {} is below 0, and so no class", where, label, sample));
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}': label {} of sample {} is not below the model's num_classes, {}", where,
                          label, sample, *num_classes));
}

CheckedDataset check_dataset(const DatasetSpec& spec) {
  return std::visit([](const auto& format) { return check_format(format); }, spec.source);
}

LoadedDataset load_dataset(const DatasetSpec& spec, std::optional<int> num_classes) {
  try {
    return std::visit([&](const auto& format) { return load_format(format, num_classes); }, spec.source);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("the data set of format '{}' does not fit into memory", spec.format()));
  }
}

}  // namespace fulcrum::workloads
