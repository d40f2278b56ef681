#include "eval/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "eval/csv_row.h"
#include "eval/table_file.h"

namespace fulcrum::eval {

namespace {

struct StatusName {
  Status status;
  std::string_view name;
};
constexpr StatusName kStatuses[] = {{Status::solved, "solved"},
                                    {Status::infeasible, "infeasible"},
                                    {Status::missed, "missed"},
                                    {Status::violated, "violated"}};

void write_answer(RowWriter& row, const Result& result) {
  if (!result.answer) {
    for (int column = 0; column < 9; ++column)
      row.none();
    return;
  }
  const auto& answer = *result.answer;
  const bool trains = !result.train_workload.empty();
  const bool infers = !result.infer_workload.empty();
  row.mode(answer.mode);
  row.number_if(infers, answer.batch_size);
  row.number_if(trains && infers, answer.train_per_window);
  row.number_if(trains, answer.train_throughput_hz);
  row.number_if(infers, answer.latency_ms);
  row.number(answer.power_w);
}

std::optional<Answered> read_answer(RowReader& row) {
  const auto cores = row.number_or_none<int>();
  Answered answer;
  answer.mode.cpu_cores = cores.value_or(0);
  answer.mode.cpu_khz = row.number_or_none<std::int64_t>().value_or(0);
  answer.mode.gpu_hz = row.number_or_none<std::int64_t>().value_or(0);
  answer.mode.emc_hz = row.number_or_none<std::int64_t>().value_or(0);
  answer.batch_size = row.number_or_none<int>().value_or(0);
  answer.train_per_window = row.number_or_none<int>().value_or(0);
  answer.train_throughput_hz = row.number_or_none<double>().value_or(0);
  answer.latency_ms = row.number_or_none<double>().value_or(0);
  answer.power_w = row.number_or_none<double>().value_or(0);
  if (!cores) return std::nullopt;
  return answer;
}

Result read_result(RowReader& row) {
  Result result;
  result.scenario = row.text();
  result.policy = row.text();
  result.train_workload = row.text();
  result.infer_workload = row.text();
  result.power_budget_w = row.number<double>();
  result.latency_budget_ms = row.number_or_none<double>().value_or(0);
  result.arrival_rate_hz = row.number_or_none<double>().value_or(0);
  result.strategy = row.text();
  result.seed = row.number<std::uint64_t>();
  result.status = row.parsed(parse_status).value_or(Status::infeasible);
  result.answer = read_answer(row);
  result.profiles = row.number<int>();
  result.modes = row.number<int>();
  result.optimal_value = row.number_or_none<double>();
  result.loss_pct = row.number_or_none<double>();
  result.decision_ms = row.number<double>();
  return result;
}

}  // namespace

std::string_view to_string(Status status) {
  for (const auto& known : kStatuses) {
    if (known.status == status) return known.name;
  }
  return "";
}

Expected<Status> parse_status(std::string_view name) {
  for (const auto& known : kStatuses) {
    if (known.name == name) return known.status;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("status is '{}', not solved, infeasible, missed or violated", name));
}

std::string csv_header() {
  return "scenario,policy,train_workload,infer_workload,power_budget_w,latency_budget_ms,arrival_rate_hz,"
         "strategy,seed,status,cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,train_per_window,"
         "train_throughput_hz,latency_ms,power_w,profiles,modes,optimal_value,loss_pct,decision_ms";
}

std::string to_csv(const Result& result) {
  RowWriter row;
  const bool infers = !result.infer_workload.empty();
  row.text(result.scenario);
  row.text(result.policy);
  row.text(result.train_workload);
  row.text(result.infer_workload);
  row.number(result.power_budget_w);
  row.number_if(infers, result.latency_budget_ms);
  row.number_if(infers, result.arrival_rate_hz);
  row.text(result.strategy);
  row.whole(result.seed);
  row.text(to_string(result.status));
  write_answer(row, result);
  row.whole(result.profiles);
  row.whole(result.modes);
  row.number_if(result.optimal_value.has_value(), result.optimal_value.value_or(0));
  row.number_if(result.loss_pct.has_value(), result.loss_pct.value_or(0));
  row.number(result.decision_ms);
  return row.row();
}

void write_results(std::ostream& out, const std::vector<Result>& results) {
  out << csv_header() << '\n';
  for (const auto& result : results)
    out << to_csv(result) << '\n';
}

Expected<std::vector<Result>> read_results(const std::string& path) {
  return read_csv<Result>(path, csv_header(), "results are what 'fulcrum-eval run --out' writes",
                          read_result);
}

}  // namespace fulcrum::eval
