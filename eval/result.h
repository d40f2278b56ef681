#pragma once
// What became of one problem under one strategy: a row of the results.

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "powermode/power_mode.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

enum class Status {
  solved,      // the answer keeps the budgets
  infeasible,  // there is no answer that does, and none was given
  missed,      // there is one, and none was given
  violated,    // the answer breaks a budget
};
std::string_view to_string(Status status);
[[nodiscard]] Expected<Status> parse_status(std::string_view name);

// An answer, with what it is worth by the noise-free table.
struct Answered {
  PowerMode mode;
  int batch_size = 0;        // of inference; 0: the problem does not infer
  int train_per_window = 0;  // 0 unless the problem is concurrent
  double train_throughput_hz = 0;
  double latency_ms = 0;
  double power_w = 0;
};

struct Result {
  std::string scenario;
  std::string policy;
  std::string train_workload;
  std::string infer_workload;
  double power_budget_w = 0;
  double latency_budget_ms = 0;  // 0, as the rate: the problem does not infer
  double arrival_rate_hz = 0;
  std::string strategy;
  std::uint64_t seed = 0;
  Status status = Status::infeasible;
  std::optional<Answered> answer;
  int profiles = 0;                     // measured for this problem
  int modes = 0;                        // distinct ones among them
  std::optional<double> optimal_value;  // training minibatches per second, or ms of latency
  std::optional<double> loss_pct;       // of the solved whose optimum is above 0
  double decision_ms = 0;               // mean of the strategy's decisions for this problem

  // Not in a row of CSV.
  double excess = 0;                         // by how much the worst budget is exceeded, as a part of it
  std::vector<scheduler::Measure> measured;  // for this problem, in order

  bool solvable() const { return optimal_value.has_value(); }
};

std::string csv_header();
std::string to_csv(const Result& result);
void write_results(std::ostream& out, const std::vector<Result>& results);
// The message of a malformed row begins with file:line.
[[nodiscard]] Expected<std::vector<Result>> read_results(const std::string& path);

}  // namespace fulcrum::eval
