#pragma once
// Several jobs take turns on one thread and one device. Each has its own number of intra-op threads and its
// own random numbers, put in place for its turn, so that none can tell that it is not alone.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fulcrum::workloads {

// The CUDA device if LibTorch has one, else the CPU.
c10::Device best_device();

class DeviceShare {
 public:
  DeviceShare(c10::Device device, int intra_op_threads, std::uint64_t seed);

  c10::Device device() const { return device_; }
  int intra_op_threads() const { return intra_op_threads_; }

  // The states of the job's generators between turns, as bytes.
  std::vector<std::string> random_states() const;
  // Throws if they are not of this kind of device.
  void restore(const std::vector<std::string>& random_states, int intra_op_threads);

  // Returns when everything that was queued on the device is done.
  void synchronise() const;

 private:
  friend class DeviceTurn;

  c10::Device device_;
  int intra_op_threads_;
  std::vector<at::Generator> generators_;  // LibTorch's default ones: the CPU's, then the device's
  std::vector<at::Tensor> random_states_;
};

// While it lives, the thread and the default generators are the job's.
class DeviceTurn {
 public:
  explicit DeviceTurn(DeviceShare& share);
  ~DeviceTurn();
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

 private:
  void swap_random_states();

  DeviceShare& share_;
};

}  // namespace fulcrum::workloads
