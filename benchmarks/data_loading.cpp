// What loading costs: an image folder made from images of the MNIST family as JPEG, loaded alone and under
// the training of LeNet-5, by the number of the loader's workers. The first epoch is not counted.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/clock.h"
#include "tests/support/image_files.h"
#include "tests/support/temp_dir.h"
#include "workloads/checkpoint_store.h"
#include "workloads/dataset.h"
#include "workloads/idx_file.h"
#include "workloads/minibatch_loader.h"
#include "workloads/training_run.h"

namespace fulcrum::benchmarks {
namespace {

using workloads::MinibatchLoader;

struct Settings {
  std::string images = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";
  std::string labels = "/usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz";
  std::string folder;  // of the images, written if it does not exist; empty: a temporary one
  int count = 4000;
  int side = 112;
  int batch_size = 16;
  int prefetch = 2;
  int epochs = 2;  // that are counted
  std::vector<int> workers{0, 1, 2, 4};
};

// Image number `sample`, each pixel repeated until it has `side` rows and columns.
test::TestImage enlarged(const workloads::IdxArray& images, std::size_t sample, int side) {
  const auto rows = static_cast<int>(images.header.dims[1]);
  const auto columns = static_cast<int>(images.header.dims[2]);
  const std::size_t image_bytes = std::size_t{images.header.dims[1]} * images.header.dims[2];
  const std::uint8_t* pixels = images.bytes.data() + sample * image_bytes;
  test::TestImage image{side, side, 1, {}};
  image.pixels.reserve(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column)
      image.pixels.push_back(pixels[row * rows / side * columns + column * columns / side]);
  }
  return image;
}

Expected<void> write_folder(const Settings& settings, const std::string& root) {
  FULCRUM_TRY_ASSIGN(images, workloads::read_idx(settings.images, workloads::IdxKind::images));
  FULCRUM_TRY_ASSIGN(labels, workloads::read_idx(settings.labels, workloads::IdxKind::labels));
  const auto count = std::min({static_cast<std::size_t>(settings.count), labels.bytes.size(),
                               static_cast<std::size_t>(images.header.dims[0])});
  for (std::size_t i = 0; i < count; ++i) {
    const std::string folder = fmt::format("{}/{}", root, labels.bytes[i]);
    std::filesystem::create_directories(folder);
    test::spill(fmt::format("{}/{:05}.jpg", folder, i),
                test::jpeg_bytes(enlarged(images, i, settings.side), 90));
  }
  return {};
}

DatasetSpec dataset_of(const std::string& root) {
  ImageFolder spec;
  spec.root = root;
  spec.size = {28, 28};
  spec.channels = 1;
  spec.scale = {{0.5}, {0.5}};
  return {spec};
}

struct Sums {
  std::size_t minibatches = 0;
  std::size_t samples = 0;
  double wall_s = 0;
  double stall_ms = 0;
  double decode_ms = 0;
  double device_ms = 0;

  double mean(double sum) const { return sum / static_cast<double>(minibatches); }
};

Expected<Sums> load_only(const Settings& settings, const std::string& root, int workers, const Clock& clock) {
  FULCRUM_TRY_ASSIGN(dataset, workloads::load_dataset(dataset_of(root), 10));
  MinibatchLoader::Options options;
  options.batch_size = static_cast<std::size_t>(settings.batch_size);
  options.epochs = static_cast<std::uint64_t>(settings.epochs) + 1;
  options.workers = static_cast<std::size_t>(workers);
  options.prefetch = static_cast<std::size_t>(settings.prefetch);
  const auto warm_up = MinibatchLoader::minibatches_per_epoch(dataset->size(), options.batch_size);
  MinibatchLoader loader(dataset, std::move(options), {}, clock);
  for (std::uint64_t i = 0; i < warm_up; ++i)
    FULCRUM_TRY(loader.next());

  Sums sums;
  const TimePoint begin = clock.now();
  while (!loader.finished()) {
    FULCRUM_TRY_ASSIGN(delivery, loader.next());
    ++sums.minibatches;
    sums.samples += delivery.minibatch.size();
    sums.stall_ms += to_ms(delivery.stall);
    sums.decode_ms += to_ms(delivery.decode);
  }
  sums.wall_s = to_s(clock.now() - begin);
  return sums;
}

JobSpec training_of(const Settings& settings, const std::string& root, int workers) {
  TrainingSpec training;
  training.dataset = dataset_of(root);
  training.batch_size = settings.batch_size;
  training.epochs = settings.epochs + 1;
  training.loader.workers = workers;
  training.loader.prefetch = settings.prefetch;
  JobSpec spec;
  spec.model.builtin = "lenet5";
  spec.kind = training;
  return spec;
}

Expected<Sums> train(const Settings& settings, const std::string& root, int workers, const Clock& clock) {
  const test::TempDir checkpoints;
  const JobSpec spec = training_of(settings, root, workers);
  FULCRUM_TRY_ASSIGN(data, workloads::load_training_data(spec));
  FULCRUM_TRY_ASSIGN(store, workloads::CheckpointStore::open(checkpoints.path()));
  workloads::TrainingRun::Options options;
  options.clock = &clock;
  FULCRUM_TRY_ASSIGN(run, workloads::TrainingRun::create(spec, std::move(data), std::move(store), options));
  while (run->progress().epoch == 0)
    FULCRUM_TRY(run->step());

  Sums sums;
  const TimePoint begin = clock.now();
  while (!run->finished()) {
    FULCRUM_TRY_ASSIGN(step, run->step());
    ++sums.minibatches;
    sums.samples += step.samples;
    sums.stall_ms += step.data_ms;
    sums.decode_ms += step.decode_ms;
    sums.device_ms += step.device_ms;
  }
  sums.wall_s = to_s(clock.now() - begin);
  return sums;
}

void print_row(int workers, const Sums& sums) {
  fmt::print("{:>8} {:>11.0f} {:>11.3f} {:>11.3f} {:>11.3f} {:>13.1f}\n", workers,
             static_cast<double>(sums.samples) / sums.wall_s, sums.mean(sums.decode_ms),
             sums.mean(sums.device_ms), sums.mean(sums.stall_ms), 100 * sums.stall_ms / 1000 / sums.wall_s);
}

Expected<void> run(const Settings& settings) {
  const SystemClock clock;
  const test::TempDir directory;
  const std::string root = settings.folder.empty() ? directory / "images" : settings.folder;
  if (!std::filesystem::exists(root)) FULCRUM_TRY(write_folder(settings, root));
  constexpr const char* kHeader = "{:>8} {:>11} {:>11} {:>11} {:>11} {:>13}\n";
  for (const bool training : {false, true}) {
    fmt::print("{}, batch {}: milliseconds a minibatch\n", training ? "training LeNet-5" : "loading alone",
               settings.batch_size);
    fmt::print(fmt::runtime(kHeader), "workers", "samples/s", "decode", "device", "stall", "stall, % time");
    for (const int workers : settings.workers) {
      FULCRUM_TRY_ASSIGN(
          sums, training ? train(settings, root, workers, clock) : load_only(settings, root, workers, clock));
      print_row(workers, sums);
    }
  }
  return {};
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  fulcrum::benchmarks::Settings settings;
  CLI::App app("Loader throughput and fetch stall on an image folder, by the number of workers");
  app.add_option("--images", settings.images, "idx file that images are made from")->capture_default_str();
  app.add_option("--labels", settings.labels, "idx file of their classes")->capture_default_str();
  app.add_option("--folder", settings.folder,
                 "where the images are written, or are already; default: a temporary folder");
  app.add_option("--count", settings.count, "images")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--side", settings.side, "rows and columns of the JPEG files")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--batch-size", settings.batch_size)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--prefetch", settings.prefetch)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--epochs", settings.epochs, "that are counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--workers", settings.workers, "numbers of workers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto done = fulcrum::benchmarks::run(settings);
  if (!done) fmt::print(stderr, "data_loading: {}\n", done.error().to_string());
  return done ? 0 : 1;
}
