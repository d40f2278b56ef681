#include "eval/bench.h"

#include <fmt/format.h>

namespace fulcrum::eval {

using scheduler::ProblemKind;

Expected<Bench> make_bench(ProblemKind kind, GridChoice grid, const Table* training, const Table* inference) {
  if (training != nullptr && training->batch_sizes().size() != 1) {
    return fail(ErrorCode::unsupported,
                fmt::format("the training table of '{}' has {} batch sizes; it must have one",
                            training->workload(), training->batch_sizes().size()));
  }
  Bench bench;
  bench.kind = kind;
  bench.grid = training != nullptr ? training->grid() : inference->grid();
  if (training != nullptr && inference != nullptr) {
    bench.grid = common_grid(training->grid(), inference->grid());
    if (bench.grid.size() == 0) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the tables of '{}' and '{}' have no power mode in common",
                              training->workload(), inference->workload()));
    }
  }
  if (grid == GridChoice::search) bench.grid = thinned(bench.grid);
  if (training != nullptr) bench.training = training->on(bench.grid);
  if (inference != nullptr) bench.inference = inference->on(bench.grid);
  return bench;
}

}  // namespace fulcrum::eval
