#include "networks/ensemble.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>

namespace fulcrum::networks {

namespace {

constexpr std::int64_t kHidden[] = {256, 128, 64};
// The residuals that are learned are small and few: short training, and weights that are held back.
constexpr int kSteps = 80;
constexpr double kFirstRate = 3e-3;  // falls to 0 along half a cosine
constexpr double kWeightDecay = 5;
constexpr double kFirstBias = 0.5;   // so that kinks lie everywhere in the inputs' range
constexpr double kLastWeight = 0.1;  // a network begins near 0
constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kRowsAtOnce = 4096;
constexpr std::int64_t kRowsOfFastPath = 16;  // from which on LibTorch hands such convolutions to oneDNN

class ThreadsOfCaller {
 public:
  ThreadsOfCaller() : before_(at::get_num_threads()) {
    if (before_ != 1) at::set_num_threads(1);
  }
  ~ThreadsOfCaller() {
    if (before_ != 1) at::set_num_threads(before_);
  }
  ThreadsOfCaller(const ThreadsOfCaller&) = delete;
  ThreadsOfCaller& operator=(const ThreadsOfCaller&) = delete;

 private:
  int before_;
};

// Over the values themselves, which must outlive it. from_blob wants a pointer to non-const, but what is made
// of it is only read.
at::Tensor tensor_over(const std::vector<float>& values, std::size_t first, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values.data() + first), shape, at::kFloat);
}

// The members share the inputs, so the first layer is one product; the others are convolutions of 1 x 1 in
// groups, which LibTorch computes fastest of all that it can do with a stack of small matrices.
class Stack {
 public:
  Stack(std::int64_t inputs, std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {
    const auto& [first, second, third] = kHidden;
    weights_ = {normal({inputs, kMembers * first}, std::sqrt(2.0 / static_cast<double>(inputs))),
                normal({kMembers * second, first, 1, 1}, std::sqrt(2.0 / static_cast<double>(first))),
                normal({kMembers * third, second, 1, 1}, std::sqrt(2.0 / static_cast<double>(second))),
                normal({kMembers, third}, kLastWeight / std::sqrt(static_cast<double>(third)))};
    biases_ = {normal({kMembers * first}, kFirstBias), at::zeros({kMembers * second}, at::kFloat),
               at::zeros({kMembers * third}, at::kFloat), at::zeros({kMembers}, at::kFloat)};
    for (auto& tensor : weights_)
      tensor.set_requires_grad(true);
    for (auto& tensor : biases_)
      tensor.set_requires_grad(true);
  }

  // [rows, members]
  at::Tensor forward(const at::Tensor& inputs) const {
    const std::int64_t rows = inputs.size(0);
    at::Tensor h = at::relu(at::addmm(biases_[0], inputs, weights_[0])).view({rows, -1, 1, 1});
    for (const std::size_t layer : {std::size_t{1}, std::size_t{2}})
      h = at::relu(convolved(h, layer));
    return at::add(at::sum(at::mul(h.view({rows, kMembers, -1}), weights_[3]), -1), biases_[3]);
  }

  const std::vector<at::Tensor>& weights() const { return weights_; }
  const std::vector<at::Tensor>& biases() const { return biases_; }

 private:
  at::Tensor normal(at::IntArrayRef shape, double deviation) {
    return at::randn(shape, generator_, at::kFloat).mul_(deviation);
  }

  at::Tensor convolved(const at::Tensor& h, std::size_t layer) const {
    constexpr std::int64_t kOnes[] = {1, 1};
    constexpr std::int64_t kZeros[] = {0, 0};
    return at::conv2d(h, weights_[layer], biases_[layer], at::IntArrayRef(kOnes), at::IntArrayRef(kZeros),
                      at::IntArrayRef(kOnes), kMembers);
  }

  at::Generator generator_;
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> biases_;
};

void train(const Stack& stack, const at::Tensor& inputs, const at::Tensor& targets) {
  using torch::optim::AdamWOptions;
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(stack.weights(),
                      std::make_unique<AdamWOptions>(AdamWOptions(kFirstRate).weight_decay(kWeightDecay)));
  groups.emplace_back(stack.biases(),
                      std::make_unique<AdamWOptions>(AdamWOptions(kFirstRate).weight_decay(0)));
  torch::optim::AdamW optimizer(std::move(groups), AdamWOptions(kFirstRate));
  for (int step = 0; step < kSteps; ++step) {
    const double rate = kFirstRate * 0.5 * (1 + std::cos(kPi * step / kSteps));
    for (auto& group : optimizer.param_groups()) {
      static_cast<AdamWOptions&>(group.options()).lr(rate);
      for (auto& parameter : group.params())
        parameter.mutable_grad().reset();
    }
    // Each member has a loss of its own; their sum keeps them apart.
    const at::Tensor error = at::square(at::sub(stack.forward(inputs), targets));
    at::sum(at::mean(error, 0)).backward();
    optimizer.step();
  }
}

}  // namespace

std::vector<std::vector<float>> train_and_predict(const InputTable& samples,
                                                  const std::vector<float>& targets, const InputTable& points,
                                                  std::uint64_t seed) {
  const ThreadsOfCaller one_thread;
  const auto columns = static_cast<std::int64_t>(samples.columns);
  const auto rows = static_cast<std::int64_t>(samples.rows());
  const Stack stack(columns, seed);
  {
    const at::AutoGradMode gradients(true);
    // Every sample as often as any other: the losses are the same.
    const std::int64_t times = (kRowsOfFastPath + rows - 1) / rows;
    train(stack, tensor_over(samples.values, 0, {rows, columns}).repeat({times, 1}),
          tensor_over(targets, 0, {rows, 1}).repeat({times, 1}));
  }
  const at::NoGradGuard no_gradients;
  std::vector<std::vector<float>> predicted(kMembers);
  for (std::size_t at_row = 0; at_row < points.rows(); at_row += kRowsAtOnce) {
    const auto count = static_cast<std::int64_t>(std::min(kRowsAtOnce, points.rows() - at_row));
    const at::Tensor inputs = tensor_over(points.values, at_row * points.columns, {count, columns});
    const at::Tensor outputs = stack.forward(inputs).t().contiguous();
    for (int member = 0; member < kMembers; ++member) {
      const float* first = outputs.data_ptr<float>() + member * count;
      auto& own = predicted[static_cast<std::size_t>(member)];
      own.insert(own.end(), first, first + count);
    }
  }
  return predicted;
}

}  // namespace fulcrum::networks
