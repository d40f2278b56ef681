#include "workloads/device_turn.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <torch/cuda.h>

#include <cstring>
#include <mutex>

namespace fulcrum::workloads {

c10::Device best_device() {
  return torch::cuda::is_available() ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
}

namespace {

at::Tensor seeded_state(const at::Generator& kind, std::uint64_t seed) {
  at::Generator generator = kind.clone();
  generator.set_current_seed(seed);
  return generator.get_state();
}

}  // namespace

DeviceShare::DeviceShare(c10::Device device, int intra_op_threads, std::uint64_t seed)
    : device_(device),
      intra_op_threads_(intra_op_threads),
      generators_{at::detail::getDefaultCPUGenerator()} {
  if (!device_.is_cpu()) generators_.push_back(at::globalContext().defaultGenerator(device_));
  for (const auto& generator : generators_)
    random_states_.push_back(seeded_state(generator, seed));
}

std::vector<std::string> DeviceShare::random_states() const {
  std::vector<std::string> states;
  for (const auto& state : random_states_) {
    states.emplace_back(static_cast<const char*>(state.data_ptr()), state.nbytes());
  }
  return states;
}

void DeviceShare::restore(const std::vector<std::string>& random_states, int intra_op_threads) {
  TORCH_CHECK(random_states.size() == generators_.size(), "the random numbers are of another kind of device");
  for (std::size_t i = 0; i < random_states.size(); ++i) {
    at::Tensor state = at::empty({static_cast<std::int64_t>(random_states[i].size())}, at::kByte);
    std::memcpy(state.data_ptr(), random_states[i].data(), random_states[i].size());
    generators_[i].clone().set_state(state);  // throws if it is none
    random_states_[i] = std::move(state);
  }
  intra_op_threads_ = intra_op_threads;
}

void DeviceShare::synchronise() const {
  if (device_.is_cuda()) torch::cuda::synchronize(device_.index());
}

DeviceTurn::DeviceTurn(DeviceShare& share) : share_(share) {
  if (at::get_num_threads() != share_.intra_op_threads_) at::set_num_threads(share_.intra_op_threads_);
  swap_random_states();
}

DeviceTurn::~DeviceTurn() {
  swap_random_states();
}

void DeviceTurn::swap_random_states() {
  for (std::size_t i = 0; i < share_.generators_.size(); ++i) {
    at::Generator& generator = share_.generators_[i];
    const std::lock_guard lock(generator.mutex());
    at::Tensor others = generator.get_state();
    generator.set_state(share_.random_states_[i]);
    share_.random_states_[i] = std::move(others);
  }
}

}  // namespace fulcrum::workloads
