#pragma once
// The formats of data sets, each checked and loaded by functions of the same names. Faults have the field of
// the data set that they are about.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/dataset_spec.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

using CheckedDataset = tl::expected<DatasetInfo, std::vector<Error>>;
using LoadedDataset = Expected<std::shared_ptr<const Dataset>>;

CheckedDataset check_format(const IdxFiles& spec);
LoadedDataset load_format(const IdxFiles& spec, std::optional<int> num_classes);

CheckedDataset check_format(const CifarFiles& spec);
LoadedDataset load_format(const CifarFiles& spec, std::optional<int> num_classes);

CheckedDataset check_format(const ImageFolder& spec);
LoadedDataset load_format(const ImageFolder& spec, std::optional<int> num_classes);

CheckedDataset check_format(const NpyFiles& spec);
LoadedDataset load_format(const NpyFiles& spec, std::optional<int> num_classes);

CheckedDataset check_format(const TokenFile& spec);
LoadedDataset load_format(const TokenFile& spec, std::optional<int> num_classes);

CheckedDataset check_format(const SyntheticData& spec);
LoadedDataset load_format(const SyntheticData& spec, std::optional<int> num_classes);

// What the formats share.

inline Unexpected at_field(Error error, std::string field) {
  error.field = std::move(field);
  return Unexpected(std::move(error));
}

// `label` of sample number `sample` in the file or folder `where` is a class.
[[nodiscard]] Expected<void> check_label(const std::string& where, std::int64_t label, std::size_t sample,
                                         std::optional<int> num_classes);

}  // namespace fulcrum::workloads
