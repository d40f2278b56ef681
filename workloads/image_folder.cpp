// Format "image_folder": root/<class>/<image>. Classes are numbered in the order of their names, and so are
// the images of a class; both by their bytes.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "workloads/dataset_formats.h"
#include "workloads/image_decoder.h"
#include "workloads/image_transform.h"
#include "workloads/open_file.h"
#include "workloads/path_access.h"

namespace fulcrum::workloads {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostImages = 10'000'000;
constexpr std::uint64_t kMostImageFileBytes = std::uint64_t{64} << 20;

struct ImageIndex {
  std::vector<std::string> classes;  // names of folders
  struct Image {
    std::uint32_t class_number;
    std::string name;
  };
  std::vector<Image> images;
};

bool is_hidden(const std::string& name) {
  return name.front() == '.';
}

bool names_an_image(const std::string& name) {
  std::string extension = fs::path(name).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

struct FolderEntry {
  std::string name;
  bool is_folder;
  bool operator<(const FolderEntry& other) const { return name < other.name; }
};

// Calls `use` for what is in a folder and not hidden, in the folder's own order, until it says false.
template <class Use>
Expected<void> visit_entries(const std::string& folder, const Use& use) {
  FULCRUM_TRY(check_readable(folder));
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (is_hidden(name)) continue;
    std::error_code unknown;  // of an entry that is gone, or a link to nothing: then it is no folder
    const bool is_folder = it->is_directory(unknown);
    if (!use(FolderEntry{std::move(name), is_folder})) return {};
  }
  if (error) return fail_errno(error.value(), fmt::format("listing '{}'", folder));
  return {};
}

// In the order of names.
Expected<std::vector<FolderEntry>> entries_of(const std::string& folder) {
  std::vector<FolderEntry> entries;
  FULCRUM_TRY(visit_entries(folder, [&entries](FolderEntry entry) {
    entries.push_back(std::move(entry));
    return entries.size() <= kMostImages;
  }));
  if (entries.size() > kMostImages) {
    return fail(ErrorCode::limit_exceeded, fmt::format("'{}' has more than {} entries", folder, kMostImages));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// The names of the folders of classes, in order; one at least.
Expected<std::vector<std::string>> classes_in(const std::string& root) {
  std::error_code error;
  if (fs::exists(root, error) && !fs::is_directory(root, error)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is not a folder", root));
  }
  std::vector<std::string> classes;
  FULCRUM_TRY_ASSIGN(entries, entries_of(root));
  for (auto& entry : entries) {
    if (entry.is_folder) classes.push_back(std::move(entry.name));
  }
  if (!classes.empty()) return classes;
  return fail(ErrorCode::invalid_argument, fmt::format("'{}' has no folders of classes", root),
              "images lie in one folder for each class: root/cat/1.jpg, root/dog/1.jpg");
}

Expected<void> check_entry(const std::string& folder, const FolderEntry& entry) {
  if (!entry.is_folder && names_an_image(entry.name)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}/{}' is {}", folder, entry.name,
                          entry.is_folder ? "a folder inside that of a class" : "no .jpg, .jpeg or .png"),
              "move it away, or hide it by a name that begins with a dot");
}

Unexpected no_images(const std::string& folder) {
  return fail(ErrorCode::invalid_argument, fmt::format("'{}', the folder of a class, has no images", folder));
}

// Any image of each class: enough to know the root by, however many there are.
Expected<ImageIndex> sketch_of(const std::string& root) {
  ImageIndex index;
  FULCRUM_TRY_ASSIGN(classes, classes_in(root));
  index.classes = std::move(classes);
  for (std::size_t c = 0; c < index.classes.size(); ++c) {
    const std::string folder = root + "/" + index.classes[c];
    std::optional<FolderEntry> first;
    FULCRUM_TRY(visit_entries(folder, [&first](FolderEntry entry) {
      first = std::move(entry);
      return false;
    }));
    if (!first) return no_images(folder);
    FULCRUM_TRY(check_entry(folder, *first));
    index.images.push_back({static_cast<std::uint32_t>(c), std::move(first->name)});
  }
  return index;
}

Expected<ImageIndex> index_of(const std::string& root) {
  ImageIndex index;
  FULCRUM_TRY_ASSIGN(classes, classes_in(root));
  index.classes = std::move(classes);
  for (std::size_t c = 0; c < index.classes.size(); ++c) {
    const std::string folder = root + "/" + index.classes[c];
    FULCRUM_TRY_ASSIGN(entries, entries_of(folder));
    if (entries.empty()) return no_images(folder);
    for (auto& entry : entries) {
      FULCRUM_TRY(check_entry(folder, entry));
      index.images.push_back({static_cast<std::uint32_t>(c), std::move(entry.name)});
    }
    if (index.images.size() > kMostImages) {
      return fail(ErrorCode::limit_exceeded, fmt::format("'{}' has more than {} images", root, kMostImages));
    }
  }
  return index;
}

Expected<void> read_image_file(const std::string& path, std::string& into) {
  FULCRUM_TRY_ASSIGN(file, open_regular_file(path));
  if (file.bytes > kMostImageFileBytes) {
    return fail(ErrorCode::limit_exceeded, fmt::format("'{}' has {} bytes, more than the {} allowed", path,
                                                       file.bytes, kMostImageFileBytes));
  }
  into.resize(static_cast<std::size_t>(file.bytes));
  std::size_t have = 0;
  while (have < into.size()) {
    const ssize_t got = ::read(file.fd.get(), into.data() + have, into.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("reading '{}'", path));
    if (got == 0) break;  // it has become shorter; the decoder says what is missing
    have += static_cast<std::size_t>(got);
  }
  into.resize(have);
  return {};
}

SampleLayout layout_of(const ImageFolder& spec) {
  SampleLayout layout;
  layout.input.shape = {spec.channels, spec.size[0], spec.size[1]};
  return layout;
}

class ImageFolderDataset final : public Dataset {
 public:
  ImageFolderDataset(const ImageFolder& spec, ImageIndex index)
      : Dataset(layout_of(spec)), root_(spec.root), index_(std::move(index)), transform_(spec) {
    decoding_.channels = spec.channels;
    decoding_.needed = [this](ImageSize original) { return transform_.resized(original); };
  }
  ImageFolderDataset(const ImageFolderDataset&) = delete;
  ImageFolderDataset& operator=(const ImageFolderDataset&) = delete;

  std::size_t size() const override { return index_.images.size(); }

 private:
  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext& context,
                      const Destination& into) const override {
    auto* input = reinterpret_cast<float*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    std::string file;
    Pixels pixels;
    ImageTransform::Scratch scratch;
    for (const std::size_t sample : samples) {
      const auto& image = index_.images[sample];
      const std::string path = fmt::format("{}/{}/{}", root_, index_.classes[image.class_number], image.name);
      FULCRUM_TRY(read_image_file(path, file));
      FULCRUM_TRY(decode_image(file, path, decoding_, pixels));
      const auto choice =
          transform_.choose(transform_.resized(pixels.original), context.seed, context.epoch, sample);
      transform_.apply(pixels, choice, scratch, input);
      input += layout().input.elements();
      *target++ = image.class_number;
    }
    return {};
  }

  std::string root_;
  ImageIndex index_;
  ImageTransform transform_;
  DecodeOptions decoding_;
};

}  // namespace

// Does not count the images: a folder of millions would take longer than a submission may.
CheckedDataset check_format(const ImageFolder& spec) {
  const auto refuse_root = [](Error error) {
    return tl::unexpected(std::vector{at_field(std::move(error), "/root").value()});
  };
  auto sketch = sketch_of(spec.root);
  if (!sketch) return refuse_root(std::move(sketch).error());
  const ImageFolderDataset dataset(spec, std::move(*sketch));
  // One image tells whether the files are what their names say; the others are told of when they are needed.
  if (auto first = dataset.read({0}); !first) return refuse_root(std::move(first).error());
  return DatasetInfo{std::nullopt, dataset.layout()};
}

LoadedDataset load_format(const ImageFolder& spec, std::optional<int> num_classes) {
  auto index = index_of(spec.root);
  if (!index) return at_field(std::move(index).error(), "/root");
  if (num_classes && index->classes.size() > static_cast<std::size_t>(*num_classes)) {
    return at_field(fail(ErrorCode::invalid_argument,
                         fmt::format("'{}' has {} folders of classes, but the model's num_classes is {}",
                                     spec.root, index->classes.size(), *num_classes))
                        .value(),
                    "/root");
  }
  return std::make_shared<const ImageFolderDataset>(spec, std::move(*index));
}

}  // namespace fulcrum::workloads
