#pragma once
// A network as training and inference need it, whatever it is made of. Includes LibTorch: not for headers
// that other folders see. Functions here throw what LibTorch throws; torch_call.h is where that stops.

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/job_spec.h"

namespace fulcrum::workloads {

class Network {
 public:
  virtual ~Network() = default;

  // batch: float32 [n, channels, rows, columns]. Returns logits [n, classes].
  virtual at::Tensor forward(const at::Tensor& batch) = 0;

  virtual void set_training(bool training) = 0;
  virtual std::vector<at::Tensor> parameters() const = 0;

  // Parameters and buffers, by name, in the order of their names.
  virtual std::vector<std::pair<std::string, at::Tensor>> named_tensors() const = 0;

  // Copies the tensors too.
  virtual std::unique_ptr<Network> clone() const = 0;

  // Parameters and buffers as an archive of torch::save. load() keeps the tensors and replaces what they
  // hold.
  virtual std::string save() const = 0;
  virtual void load(const std::string& archive) = 0;
};

// With random weights from the default generator of the CPU, then moved to `device`.
std::unique_ptr<Network> make_network(const ModelSpec& model, c10::Device device);

// FNV-1a, 64 bits, over names and bytes of named_tensors(), in hexadecimal.
std::string digest_of(const Network& network);

}  // namespace fulcrum::workloads
