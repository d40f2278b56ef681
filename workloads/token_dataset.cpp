// Format "tokens": one stream of numbers, little-endian and without a header. Sample i is the i-th stretch of
// sequence_length tokens; its targets are the tokens that follow each of them.

#include <fmt/format.h>

#include <cstring>

#include "workloads/dataset_formats.h"
#include "workloads/mapped_file.h"

namespace fulcrum::workloads {

namespace {

std::size_t bytes_of_token(const TokenFile& spec) {
  if (spec.dtype == "uint16") return sizeof(std::uint16_t);
  return spec.dtype == "int64" ? sizeof(std::int64_t) : sizeof(std::uint32_t);
}

SampleLayout layout_of(const TokenFile& spec) {
  const ArrayLayout sequence{ElementType::int64, {spec.sequence_length}};
  return {sequence, sequence};
}

std::size_t sequences_in(const TokenFile& spec, std::size_t file_bytes) {
  return (file_bytes / bytes_of_token(spec) - 1) / static_cast<std::size_t>(spec.sequence_length);
}

template <class Token>
void widen_tokens(const std::byte* from, std::size_t count, std::int64_t* into) {
  for (std::size_t i = 0; i < count; ++i) {
    Token token;
    std::memcpy(&token, from + i * sizeof(Token), sizeof(Token));
    into[i] = static_cast<std::int64_t>(token);
  }
}

class TokenDataset final : public Dataset {
 public:
  TokenDataset(const TokenFile& spec, MappedFile file)
      : Dataset(layout_of(spec)),
        spec_(spec),
        file_(std::move(file)),
        token_bytes_(bytes_of_token(spec)),
        length_(static_cast<std::size_t>(spec.sequence_length)) {}

  std::size_t size() const override { return sequences_in(spec_, file_.size()); }

 private:
  void widen(const std::byte* from, std::int64_t* into) const {
    if (spec_.dtype == "uint16") return widen_tokens<std::uint16_t>(from, length_, into);
    if (spec_.dtype == "int32") return widen_tokens<std::int32_t>(from, length_, into);
    if (spec_.dtype == "uint32") return widen_tokens<std::uint32_t>(from, length_, into);
    return widen_tokens<std::int64_t>(from, length_, into);
  }

  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext&,
                      const Destination& into) const override {
    auto* input = reinterpret_cast<std::int64_t*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    for (const std::size_t sample : samples) {
      const std::size_t at = sample * length_;
      FULCRUM_TRY(file_.read([&](const std::byte* bytes) {
        widen(bytes + at * token_bytes_, input);
        widen(bytes + (at + 1) * token_bytes_, target);
      }));
      FULCRUM_TRY(check_tokens(input, at));
      FULCRUM_TRY(check_tokens(target, at + 1));
      input += length_;
      target += length_;
    }
    return {};
  }

  // A token that the network has no row for is an error here, where the file can be named.
  Expected<void> check_tokens(const std::int64_t* tokens, std::size_t position) const {
    for (std::size_t i = 0; i < length_; ++i) {
      if (tokens[i] >= 0 && (!spec_.vocabulary || tokens[i] < *spec_.vocabulary)) continue;
      return fail(
          ErrorCode::invalid_argument,
          fmt::format(
              "'{}': token {} at position {} is {}", spec_.file, tokens[i], position + i,
              tokens[i] < 0 ? "below 0" : fmt::format("not below the vocabulary's {}", *spec_.vocabulary)),
          "is dtype the one that it was written with?");
    }
    return {};
  }

  TokenFile spec_;
  MappedFile file_;
  std::size_t token_bytes_;
  std::size_t length_;
};

Expected<MappedFile> open_tokens(const TokenFile& spec) {
  auto file = MappedFile::open(spec.file);
  if (!file) return at_field(std::move(file).error(), "/file");
  if (file->size() % bytes_of_token(spec) != 0) {
    return at_field(fail(ErrorCode::corrupt,
                         fmt::format("'{}' has {} bytes, which is no multiple of the {} of {}", spec.file,
                                     file->size(), bytes_of_token(spec), spec.dtype),
                         "is dtype the one that it was written with?")
                        .value(),
                    "/file");
  }
  if (sequences_in(spec, file->size()) == 0) {
    return at_field(
        fail(ErrorCode::invalid_argument,
             fmt::format("'{}' holds {} tokens; one sequence and the token after it need {}", spec.file,
                         file->size() / bytes_of_token(spec), spec.sequence_length + 1))
            .value(),
        "/sequence_length");
  }
  return file;
}

}  // namespace

CheckedDataset check_format(const TokenFile& spec) {
  auto file = open_tokens(spec);
  if (!file) return tl::unexpected(std::vector{std::move(file).error()});
  return DatasetInfo{sequences_in(spec, file->size()), layout_of(spec)};
}

LoadedDataset load_format(const TokenFile& spec, std::optional<int>) {
  FULCRUM_TRY_ASSIGN(file, open_tokens(spec));
  return std::make_shared<const TokenDataset>(spec, std::move(file));
}

}  // namespace fulcrum::workloads
