#pragma once
// What the other workloads of a board tell of one that is searched for: an evaluation that leaves one out.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/bench.h"
#include "eval/table_source.h"

namespace fulcrum::eval {

// So many profiles of training and of inference of every workload that is not in the bench, drawn by the
// seed; a set each.
[[nodiscard]] Expected<std::vector<scheduler::ProfileSet>> profiles_of_others(const TableSource& source,
                                                                              const Bench& bench,
                                                                              std::size_t count,
                                                                              std::uint64_t seed);

}  // namespace fulcrum::eval
