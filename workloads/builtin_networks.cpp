#include "workloads/builtin_networks.h"

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/pimpl.h>

#include <functional>
#include <numeric>
#include <tuple>

namespace fulcrum::workloads {

namespace {

namespace nn = torch::nn;

// LeCun et al., "Gradient-based learning applied to document recognition" (1998), figure 2, for images of 28
// x 28: padded to 32 x 32 as there, with ReLU and max-pooling in place of tanh and subsampling. c5 is a
// convolution as in the paper; its output is 1 x 1.
nn::Sequential lenet5(int num_classes) {
  using Conv = nn::Conv2dOptions;
  const auto pool = nn::MaxPool2dOptions(2);
  return nn::Sequential({{"c1", nn::AnyModule(nn::Conv2d(Conv(1, 6, 5).padding(2)))},
                         {"c1_relu", nn::AnyModule(nn::ReLU())},
                         {"s2", nn::AnyModule(nn::MaxPool2d(pool))},
                         {"c3", nn::AnyModule(nn::Conv2d(Conv(6, 16, 5)))},
                         {"c3_relu", nn::AnyModule(nn::ReLU())},
                         {"s4", nn::AnyModule(nn::MaxPool2d(pool))},
                         {"c5", nn::AnyModule(nn::Conv2d(Conv(16, 120, 5)))},
                         {"c5_relu", nn::AnyModule(nn::ReLU())},
                         {"flatten", nn::AnyModule(nn::Flatten())},
                         {"f6", nn::AnyModule(nn::Linear(120, 84))},
                         {"f6_relu", nn::AnyModule(nn::ReLU())},
                         {"output", nn::AnyModule(nn::Linear(84, num_classes))}});
}

nn::Sequential mlp(std::int64_t inputs, int num_classes) {
  constexpr std::int64_t kFirst = 256;
  constexpr std::int64_t kSecond = 128;
  return nn::Sequential({{"flatten", nn::AnyModule(nn::Flatten())},
                         {"hidden1", nn::AnyModule(nn::Linear(inputs, kFirst))},
                         {"hidden1_relu", nn::AnyModule(nn::ReLU())},
                         {"hidden2", nn::AnyModule(nn::Linear(kFirst, kSecond))},
                         {"hidden2_relu", nn::AnyModule(nn::ReLU())},
                         {"output", nn::AnyModule(nn::Linear(kSecond, num_classes))}});
}

// [n, steps, features], or [n, channels, rows, columns] whose steps are the rows, to the state after the last
// step, [n, cells].
class SequenceReaderImpl : public nn::Cloneable<SequenceReaderImpl> {
 public:
  SequenceReaderImpl(std::int64_t features, std::int64_t cells) : features_(features), cells_(cells) {
    SequenceReaderImpl::reset();
  }

  void reset() override {
    lstm_ = register_module("lstm", nn::LSTM(nn::LSTMOptions(features_, cells_).batch_first(true)));
  }

  at::Tensor forward(const at::Tensor& batch) {
    const at::Tensor steps = batch.dim() == 4 ? batch.permute({0, 2, 1, 3}).flatten(2) : batch;
    return std::get<0>(lstm_->forward(steps)).select(1, -1);
  }

 private:
  std::int64_t features_;
  std::int64_t cells_;
  nn::LSTM lstm_ = nullptr;
};
TORCH_MODULE(SequenceReader);

nn::Sequential lstm(const std::vector<std::int64_t>& sample_shape, int num_classes) {
  constexpr std::int64_t kCells = 128;
  const std::int64_t channels = sample_shape.size() == 3 ? sample_shape.front() : 1;
  return nn::Sequential({{"reader", nn::AnyModule(SequenceReader(channels * sample_shape.back(), kCells))},
                         {"output", nn::AnyModule(nn::Linear(kCells, num_classes))}});
}

}  // namespace

nn::Sequential builtin_layers(const ModelSpec& model, const std::vector<std::int64_t>& sample_shape) {
  if (model.builtin == "mlp") {
    const auto inputs =
        std::accumulate(sample_shape.begin(), sample_shape.end(), std::int64_t{1}, std::multiplies<>());
    return mlp(inputs, model.num_classes);
  }
  if (model.builtin == "lstm") return lstm(sample_shape, model.num_classes);
  TORCH_CHECK(model.builtin == "lenet5", "unknown built-in model '", model.builtin, "'");
  return lenet5(model.num_classes);
}

}  // namespace fulcrum::workloads
