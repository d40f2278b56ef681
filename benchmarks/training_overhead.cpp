// What a training step costs in Fulcrum beyond the bare LibTorch loop of the same network, minibatches and
// optimizer: random numbers put in place, counting, errors as values; and loading, against minibatches that
// lie in memory. Blocks of steps of the one and of the other, in turn, in one process; medians over the
// blocks.

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <fmt/core.h>
#include <torch/optim/sgd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "common/clock.h"
#include "tests/support/temp_dir.h"
#include "workloads/batch_tensors.h"
#include "workloads/builtin_networks.h"
#include "workloads/minibatch_loader.h"
#include "workloads/training_run.h"

namespace fulcrum::benchmarks {
namespace {

struct Settings {
  int batch_size = 16;
  int block = 50;
  int blocks = 41;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

JobSpec lenet5_job(const Settings& settings) {
  TrainingSpec training;
  training.dataset = {IdxFiles{"/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
                               "/usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz"}};
  training.batch_size = settings.batch_size;
  training.epochs = 1000;
  training.loader = {1, 2, 0};
  training.checkpoint_every_s = 1e9;
  JobSpec spec;
  spec.model.builtin = "lenet5";
  spec.kind = training;
  return spec;
}

// Minibatches that lie ready in memory, over and over; or those of a loader with one worker, as Fulcrum's.
class Minibatches {
 public:
  Minibatches(const workloads::TrainingData& data, const Settings& settings, bool loaded,
              const Clock& clock) {
    const auto size = static_cast<std::size_t>(settings.batch_size);
    if (loaded) {
      workloads::MinibatchLoader::Options options;
      options.batch_size = size;
      options.epochs = 1000;
      options.workers = 1;
      loader_ = std::make_unique<workloads::MinibatchLoader>(data.dataset, std::move(options),
                                                             workloads::LoaderPosition{}, clock);
    }
    for (std::size_t first = 0; first < kInMemory * size && !loaded; first += size) {
      std::vector<std::size_t> samples(size);
      std::iota(samples.begin(), samples.end(), first);
      in_memory_.push_back(data.dataset->read(samples).value());
    }
  }

  workloads::BatchTensors next() {
    const c10::Device cpu(c10::kCPU);
    if (loader_ != nullptr) return workloads::batch_tensors(loader_->next().value().minibatch, cpu);
    return workloads::batch_tensors(in_memory_[next_++ % in_memory_.size()], cpu);
  }

 private:
  static constexpr std::size_t kInMemory = 64;
  std::vector<workloads::Minibatch> in_memory_;
  std::size_t next_ = 0;
  std::unique_ptr<workloads::MinibatchLoader> loader_;
};

// The loop that one would write.
class BareLoop {
 public:
  BareLoop(const JobSpec& spec, const workloads::TrainingData& data, Minibatches minibatches)
      : network_(workloads::builtin_layers(spec.model, data.dataset->layout().input.shape)),
        optimizer_(network_->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9)),
        minibatches_(std::move(minibatches)) {}

  double step() {
    const auto batch = minibatches_.next();
    optimizer_.zero_grad();
    const at::Tensor loss = at::cross_entropy_loss(network_->forward(batch.inputs), batch.targets);
    loss.backward();
    optimizer_.step();
    return loss.item<double>();
  }

 private:
  torch::nn::Sequential network_;
  torch::optim::SGD optimizer_;
  Minibatches minibatches_;
};

template <class Step>
double ms_a_step(const Settings& settings, const Clock& clock, const Step& step) {
  const TimePoint start = clock.now();
  for (int i = 0; i < settings.block; ++i)
    step();
  return to_ms(clock.now() - start) / settings.block;
}

Expected<void> compare(const Settings& settings, bool loaded) {
  const SystemClock clock;
  const test::TempDir directory;
  at::set_num_threads(1);
  const JobSpec spec = lenet5_job(settings);
  FULCRUM_TRY_ASSIGN(data, workloads::load_training_data(spec));
  BareLoop bare(spec, data, Minibatches(data, settings, loaded, clock));
  FULCRUM_TRY_ASSIGN(store, workloads::CheckpointStore::open(directory / "checkpoints"));
  FULCRUM_TRY_ASSIGN(run, workloads::TrainingRun::create(spec, data, std::move(store), {1, &clock, {}}));

  std::vector<double> bare_ms;
  std::vector<double> fulcrum_ms;
  std::vector<double> ratios;
  Expected<void> failed;
  for (int block = 0; block <= settings.blocks; ++block) {
    const double one = ms_a_step(settings, clock, [&] { bare.step(); });
    const double other = ms_a_step(settings, clock, [&] {
      if (const auto step = run->step(); !step) failed = Unexpected(step.error());
    });
    FULCRUM_TRY(failed);
    if (block == 0) continue;  // warms up
    bare_ms.push_back(one);
    fulcrum_ms.push_back(other);
    ratios.push_back(other / one);
  }
  fmt::print("{:>6} {:>12} {:>10.3f} {:>10.3f} {:>+10.2f}\n", settings.batch_size,
             loaded ? "a loader" : "memory", median(bare_ms), median(fulcrum_ms), 100 * (median(ratios) - 1));
  return {};
}

int main(int argc, char** argv) {
  CLI::App app{"What a training step costs beyond the bare LibTorch loop"};
  Settings settings;
  std::vector<int> batch_sizes{16, 64};
  app.add_option("--batch-sizes", batch_sizes)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--block", settings.block, "steps in a row of one kind")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--blocks", settings.blocks, "pairs of blocks")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  fmt::print("LeNet-5, milliseconds a step; medians of {} pairs of {} steps\n", settings.blocks,
             settings.block);
  fmt::print("{:>6} {:>12} {:>10} {:>10} {:>10}\n", "batch", "bare is fed", "bare", "Fulcrum", "more, %");
  for (const int batch_size : batch_sizes) {
    for (const bool loaded : {false, true}) {
      settings.batch_size = batch_size;
      if (auto compared = compare(settings, loaded); !compared) {
        fmt::print(stderr, "training_overhead: {}\n", compared.error().to_string());
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  return fulcrum::benchmarks::main(argc, argv);
}
