#include "common/dataset_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fulcrum {

namespace {

using Need = JsonFields::Need;

constexpr Interval kSamples = Interval::between(1, 1e9);
constexpr Interval kDims = Interval::between(1, 1e6);
constexpr std::size_t kMostDims = 8;
constexpr std::int64_t kMostElements = std::int64_t{1} << 26;  // of one sample
constexpr Interval kClasses = Interval::between(1, 1e6);
constexpr Interval kSequenceLengths = Interval::between(1, 1e6);
constexpr Interval kVocabularies = Interval::between(1, 4e9);
constexpr Interval kMeans = Interval::between(-1000, 1000);
constexpr Interval kDeviations = Interval::above(0, 1000);
constexpr std::size_t kMostFiles = 1000;
constexpr Interval kImageSides = Interval::between(1, 4096);
constexpr Interval kResizedSides = Interval::between(1, 8192);

// A list of whole numbers, if it is one.
std::optional<std::vector<std::int64_t>> whole_numbers(const Json& json, const Interval& range) {
  if (!json.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const auto& item : json) {
    const auto number = whole_number(item, range);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Leaves `into` as it is, if the field is absent.
void read_numbers(JsonFields& fields, const std::string& name, const Interval& range,
                  std::vector<double>& into) {
  const Json* json = fields.find(name);
  if (json == nullptr) return;
  std::vector<double> numbers;
  if (json->is_array()) {
    for (const auto& item : *json) {
      if (item.is_number() && range.contains(item.get<double>())) numbers.push_back(item.get<double>());
    }
  }
  if (!json->is_array() || json->size() != into.size() || numbers.size() != into.size()) {
    fields.fault(
        name, ErrorCode::invalid_argument,
        fmt::format("must be a list of {} numbers, one a channel, each {}", into.size(), range.to_string()));
    return;
  }
  into = std::move(numbers);
}

void read_scale(JsonFields& fields, PixelScale& scale) {
  read_numbers(fields, "mean", kMeans, scale.mean);
  read_numbers(fields, "std", kDeviations, scale.deviation);
}

void write_scale(const PixelScale& scale, Json& json) {
  json["mean"] = scale.mean;
  json["std"] = scale.deviation;
}

// Each format: how its fields are read, written and named.

void read_format(JsonFields& fields, IdxFiles& idx) {
  fields.read_path("images", idx.images, Need::required);
  fields.read_path("labels", idx.labels, Need::required);
}

void read_format(JsonFields& fields, CifarFiles& cifar) {
  fields.read_paths("files", cifar.files, kMostFiles, Need::required);
  read_scale(fields, cifar.scale);
}

void read_size(JsonFields& fields, std::array<std::int64_t, 2>& into) {
  const Json* json = fields.find("size", Need::required);
  if (json == nullptr) return;
  const auto size = whole_numbers(*json, kImageSides);
  if (!size || size->size() != into.size()) {
    fields.fault("size", ErrorCode::invalid_argument,
                 fmt::format("must be [rows, columns], two whole numbers, each {}", kImageSides.to_string()),
                 "such as [224, 224]");
    return;
  }
  into = {size->front(), size->back()};
}

void read_format(JsonFields& fields, ImageFolder& folder) {
  fields.read_path("root", folder.root, Need::required);
  read_size(fields, folder.size);
  const std::int64_t longest = std::max(folder.size[0], folder.size[1]);
  if (fields.read("resize", folder.resize, kResizedSides) && folder.resize < longest) {
    fields.fault("resize", ErrorCode::invalid_argument,
                 fmt::format("a shorter side of {} has no room for a size of {} x {}", folder.resize,
                             folder.size[0], folder.size[1]),
                 fmt::format("at least {}, or leave it out", longest));
  }
  int channels = folder.channels;
  if (fields.read("channels", channels, Interval::between(1, 3)) && channels == 2) {
    fields.fault("channels", ErrorCode::invalid_argument, "must be 1 or 3, not 2");
  }
  folder.channels = channels;
  folder.scale.mean.resize(static_cast<std::size_t>(channels));
  folder.scale.deviation.resize(static_cast<std::size_t>(channels));
  read_scale(fields, folder.scale);
  if (auto augment = fields.object("augment")) {
    augment->read("flip", folder.flip);
    augment->read("crop", folder.random_crop);
    augment->finish();
  }
}

void read_format(JsonFields& fields, NpyFiles& npy) {
  fields.read_path("inputs", npy.inputs, Need::required);
  fields.read_path("targets", npy.targets, Need::required);
}

void read_format(JsonFields& fields, TokenFile& tokens) {
  fields.read_path("file", tokens.file, Need::required);
  fields.read_choice("dtype", tokens.dtype, {"uint16", "int32", "uint32", "int64"});
  fields.read("sequence_length", tokens.sequence_length, kSequenceLengths, Need::required);
  std::int64_t vocabulary = 0;
  if (fields.read("vocabulary", vocabulary, kVocabularies)) tokens.vocabulary = vocabulary;
}

void read_shape(JsonFields& fields, std::vector<std::int64_t>& into) {
  const Json* json = fields.find("shape", Need::required);
  if (json == nullptr) return;
  auto shape = whole_numbers(*json, kDims);
  if (!shape || shape->empty() || shape->size() > kMostDims) {
    fields.fault(
        "shape", ErrorCode::invalid_argument,
        fmt::format("must be a list of 1 to {} whole numbers, each {}", kMostDims, kDims.to_string()),
        "such as [3, 32, 32]");
    return;
  }
  std::int64_t elements = 1;
  for (const auto dim : *shape) {
    elements *= dim;  // both factors are below 2^27
    if (elements <= kMostElements) continue;
    fields.fault("shape", ErrorCode::limit_exceeded,
                 fmt::format("one sample would have more than {} numbers", kMostElements));
    return;
  }
  into = std::move(*shape);
}

void read_format(JsonFields& fields, SyntheticData& synthetic) {
  fields.read("samples", synthetic.samples, kSamples, Need::required);
  read_shape(fields, synthetic.shape);
  fields.read("classes", synthetic.classes, kClasses);
  fields.read("seed", synthetic.seed);
}

void write_format(const IdxFiles& idx, Json& json) {
  json["images"] = idx.images;
  json["labels"] = idx.labels;
}

void write_format(const CifarFiles& cifar, Json& json) {
  json["files"] = cifar.files;
  write_scale(cifar.scale, json);
}

void write_format(const ImageFolder& folder, Json& json) {
  json["root"] = folder.root;
  json["size"] = folder.size;
  if (folder.resize > 0) json["resize"] = folder.resize;
  json["channels"] = folder.channels;
  write_scale(folder.scale, json);
  json["augment"] = {{"flip", folder.flip}, {"crop", folder.random_crop}};
}

void write_format(const NpyFiles& npy, Json& json) {
  json["inputs"] = npy.inputs;
  json["targets"] = npy.targets;
}

void write_format(const TokenFile& tokens, Json& json) {
  json["file"] = tokens.file;
  json["dtype"] = tokens.dtype;
  json["sequence_length"] = tokens.sequence_length;
  if (tokens.vocabulary) json["vocabulary"] = *tokens.vocabulary;
}

void write_format(const SyntheticData& synthetic, Json& json) {
  json["samples"] = synthetic.samples;
  json["shape"] = synthetic.shape;
  json["classes"] = synthetic.classes;
  json["seed"] = synthetic.seed;
}

std::vector<NamedFile> files_of(const IdxFiles& idx) {
  return {{"/images", idx.images}, {"/labels", idx.labels}};
}

std::vector<NamedFile> files_of(const CifarFiles& cifar) {
  std::vector<NamedFile> files;
  for (std::size_t i = 0; i < cifar.files.size(); ++i)
    files.push_back({fmt::format("/files/{}", i), cifar.files[i]});
  return files;
}

std::vector<NamedFile> files_of(const ImageFolder& folder) {
  return {{"/root", folder.root}};
}

std::vector<NamedFile> files_of(const NpyFiles& npy) {
  return {{"/inputs", npy.inputs}, {"/targets", npy.targets}};
}

std::vector<NamedFile> files_of(const TokenFile& tokens) {
  return {{"/file", tokens.file}};
}

std::vector<NamedFile> files_of(const SyntheticData&) {
  return {};
}

constexpr const char* name_of(const IdxFiles&) {
  return "idx";
}
constexpr const char* name_of(const CifarFiles&) {
  return "cifar10";
}
constexpr const char* name_of(const ImageFolder&) {
  return "image_folder";
}
constexpr const char* name_of(const NpyFiles&) {
  return "npy";
}
constexpr const char* name_of(const TokenFile&) {
  return "tokens";
}
constexpr const char* name_of(const SyntheticData&) {
  return "synthetic";
}

// Calls `use` with an empty spec of each format.
template <class Use, class... Formats>
void for_each_format(const std::variant<Formats...>&, const Use& use) {
  (use(Formats{}), ...);
}

}  // namespace

std::string_view DatasetSpec::format() const {
  return std::visit([](const auto& s) { return name_of(s); }, source);
}

std::vector<NamedFile> DatasetSpec::files() const {
  return std::visit([](const auto& s) { return files_of(s); }, source);
}

Json DatasetSpec::to_json() const {
  Json json{{"format", std::string(format())}};
  std::visit([&json](const auto& s) { write_format(s, json); }, source);
  return json;
}

Json DatasetSpec::cost_traits() const {
  Json traits = to_json();
  for (const auto& field : dataset_path_fields())
    traits.erase(field);
  for (const char* field : {"samples", "seed", "mean", "std"})
    traits.erase(field);
  return traits;
}

void read_dataset(JsonFields& parent, DatasetSpec& dataset) {
  auto fields = parent.object("dataset", Need::required);
  if (!fields) return;
  std::vector<std::string> names;
  for_each_format(dataset.source, [&names](const auto& empty) { names.emplace_back(name_of(empty)); });
  std::string format;
  if (!fields->read_choice("format", format, names, {}, Need::required)) return;
  for_each_format(dataset.source, [&](auto spec) {
    if (format != name_of(spec)) return;
    read_format(*fields, spec);
    dataset.source = std::move(spec);
  });
  fields->finish();
}

const std::vector<std::string>& dataset_path_fields() {
  static const std::vector<std::string> fields{"images", "labels",  "files", "root",
                                               "inputs", "targets", "file"};
  return fields;
}

}  // namespace fulcrum
