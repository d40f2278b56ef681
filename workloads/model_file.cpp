#include "workloads/model_file.h"

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>
#include <zlib.h>

#include <array>
#include <fstream>

#include "workloads/path_access.h"
#include "workloads/script_network.h"
#include "workloads/torch_call.h"

namespace fulcrum::workloads {

namespace {

constexpr const char* kHowToExport = "torch.jit.script(model).save(\"model.pt\") writes one";

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// The checksum of a file that begins as a zip archive does.
Expected<std::string> checksum_of_archive(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> part(std::size_t{1} << 20);
  auto crc = ::crc32_z(0, nullptr, 0);
  for (bool first = true; file; first = false) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    const auto n = static_cast<std::size_t>(file.gcount());
    if (first && std::string_view(part.data(), n).substr(0, 2) != "PK") {
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no TorchScript archive", path),
                  kHowToExport);
    }
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), n);
  }
  if (!file.eof()) return fail(ErrorCode::io, fmt::format("reading '{}' failed", path));
  return fmt::format("{:08x}", crc);
}

Expected<void> check_container(const std::string& path) {
  const auto has_code = torch_call(fmt::format("reading '{}'", path), [&] {
    return caffe2::serialize::PyTorchStreamReader(path).hasRecord("constants.pkl");
  });
  if (!has_code && contains(has_code.error().message, "maximum supported version")) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("'{}' was written by a newer PyTorch: this is LibTorch {}, which reads TorchScript "
                    "archives up to format {}",
                    path, TORCH_VERSION, caffe2::serialize::kMaxSupportedFileFormatVersion),
        "export it with a PyTorch of this version");
  }
  if (!has_code) {
    return fail(ErrorCode::corrupt, has_code.error().message, "is the file whole? copy or export it again");
  }
  if (!*has_code) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' holds no TorchScript: it is a zip archive as torch.save() writes it", path),
                kHowToExport);
  }
  return {};
}

Expected<torch::jit::Module> load_module(const std::string& path) {
  auto module = torch_call(fmt::format("loading '{}'", path),
                           [&] { return torch::jit::load(path, c10::Device(c10::kCPU)); });
  if (module) return module;
  Error error = std::move(module).error();
  if (contains(error.message, "Unknown builtin op") || contains(error.message, "Unknown type name")) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}; LibTorch {} has nothing of that name", error.message, TORCH_VERSION),
                "was it exported by a newer PyTorch? export it with one of this version");
  }
  return fail(ErrorCode::corrupt, error.message, "is the file whole? copy or export it again");
}

Expected<std::shared_ptr<const ModelFile>> read_checked(const JobSpec& spec) {
  const std::string& path = spec.model.torchscript;
  FULCRUM_TRY(check_readable(path));
  FULCRUM_TRY_ASSIGN(checksum, checksum_of_archive(path));
  FULCRUM_TRY(check_container(path));
  FULCRUM_TRY_ASSIGN(module, load_module(path));
  auto checked = torch_call("examining the model", [&] { return check_script(module, spec); });
  if (!checked) return Unexpected(std::move(checked).error());
  if (!*checked) {
    checked->error().message.insert(0, fmt::format("'{}': ", path));
    return Unexpected(std::move(*checked).error());
  }
  return std::make_shared<const ModelFile>(ModelFile{module, std::move(checksum)});
}

}  // namespace

Expected<std::shared_ptr<const ModelFile>> read_model_file(const JobSpec& spec) {
  if (!spec.model.is_file()) return std::shared_ptr<const ModelFile>();
  auto file = read_checked(spec);
  if (!file) file.error().field = spec.model.field();
  return file;
}

std::string checksum_of(const ModelFile* file) {
  return file == nullptr ? "" : file->checksum;
}

}  // namespace fulcrum::workloads
