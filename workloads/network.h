#pragma once
// A network as training and inference need it, whatever it is made of. Includes LibTorch: not for headers
// that other folders see. Functions here throw what LibTorch throws; torch_call.h is where that stops.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/job_spec.h"

namespace fulcrum::workloads {

struct ModelFile;

class Network {
 public:
  virtual ~Network() = default;

  // What the network makes of a batch, [n, sample shape] of the data set's type: mostly a tensor, such as
  // logits [n, classes], but that of a file may be anything.
  virtual c10::IValue answer(const at::Tensor& batch) = 0;
  // Throws if that is no tensor.
  at::Tensor forward(const at::Tensor& batch);

  // The scalar loss of a network that computes it itself. Throws if this one does not.
  virtual at::Tensor loss_in_model(const at::Tensor& batch, const at::Tensor& targets);

  virtual void set_training(bool training) = 0;
  // Those that are to be trained, each once.
  virtual std::vector<at::Tensor> parameters() const = 0;

  // What it keeps besides, in tensors.
  virtual std::vector<at::Tensor> buffers() const = 0;

  // Parameters and buffers, by name, in the order of their names.
  virtual std::vector<std::pair<std::string, at::Tensor>> named_tensors() const = 0;

  // Copies the tensors too.
  virtual std::unique_ptr<Network> clone() const = 0;

  // Parameters, buffers and whatever else it keeps from step to step, as an archive. load() keeps the
  // parameters and replaces what they hold.
  virtual std::string save() const = 0;
  virtual void load(const std::string& archive) = 0;

  // For those who use the trained network, on any device: a TorchScript module.
  virtual std::string save_trained() const = 0;
};

// How a TorchScript module's code is run: statement by statement, or by the optimising executor, which runs a
// network's first minibatches otherwise than the later ones and compiles anew for each batch size.
enum class Execution { as_written, optimized };

// A built-in network for samples of this shape, with random weights from the default generator of the CPU,
// moved to `device`; or that of `file`, which is null for a built-in one. In training mode.
std::unique_ptr<Network> make_network(const ModelSpec& model, const ModelFile* file,
                                      const std::vector<std::int64_t>& sample_shape, c10::Device device,
                                      Execution execution = Execution::as_written);

// FNV-1a, 64 bits, over names and bytes of named_tensors(), in hexadecimal.
std::string digest_of(const Network& network);

}  // namespace fulcrum::workloads
