#pragma once
// Small idx files, whole ones and broken ones, written by the tests.

#include <cstdint>
#include <string>
#include <vector>

#include "common/job_spec.h"

namespace fulcrum::test {

// Big-endian, as in an idx header.
std::string be32(std::uint32_t value);

std::string idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                       const std::string& pixels);
std::string idx_labels(std::uint32_t count, const std::string& labels);

std::string gzipped(const std::string& bytes);

// `count` images of 28 x 28 in `classes` classes that a network can learn to tell apart: a bright bar whose
// place is the class, under noise. Gzipped files in `directory` whose names begin with `prefix`.
DatasetSpec write_tiny_dataset(const std::string& directory, const std::string& prefix, std::uint32_t count,
                               int classes, std::uint64_t seed);

}  // namespace fulcrum::test
