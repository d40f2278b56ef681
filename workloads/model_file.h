#pragma once
// A TorchScript file of a user's, read and held against what a job wants of it. No LibTorch in this header,
// so that it can travel with a job's data; script_network.h makes a network of it.

#include <memory>
#include <string>

#include "common/error.h"
#include "common/job_spec.h"

namespace fulcrum::workloads {

struct ModelFile;

// Null for a built-in model. Otherwise the module in memory, on the CPU, with every doubt removed that can be
// without running it: it is a TorchScript archive that this LibTorch understands, has a forward() for the
// inputs that the job will give it, and, for training, parameters and a way to switch dropout and
// batch-norm between training and evaluation. Errors have the field /model/torchscript. May take as long as
// the file is large; draws no random numbers, and so may run beside other jobs.
[[nodiscard]] Expected<std::shared_ptr<const ModelFile>> read_model_file(const JobSpec& spec);

// CRC-32 of the file's bytes, in hexadecimal; "" for null.
std::string checksum_of(const ModelFile* file);

}  // namespace fulcrum::workloads
