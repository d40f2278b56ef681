#include "eval/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "eval/table_file.h"
#include "powermode/simulated_hardware.h"

namespace fulcrum::eval {

using scheduler::ModeGrid;
using scheduler::Profile;

namespace {

constexpr WorkloadTask kTasks[] = {WorkloadTask::training, WorkloadTask::inference};
constexpr int kTrainingBatch = 16;
const std::vector<int>& batch_sizes(WorkloadTask task) {
  static const std::vector<int> training{kTrainingBatch};
  static const std::vector<int> inference{1, 4, 16, 32, 64};
  return task == WorkloadTask::training ? training : inference;
}

Expected<ModeGrid> grid_of_board(const powermode::SimulatedHardware& hardware) {
  scheduler::PerDimension<std::vector<std::int64_t>> levels{
      {{}, hardware.cpu.levels_khz, hardware.gpu.levels_hz, hardware.emc.levels_hz}};
  for (int cores = 1; cores <= hardware.cpu_count(); ++cores)
    levels[0].push_back(cores);
  return ModeGrid::make(std::move(levels));
}

}  // namespace

// ---- a folder ----

Expected<std::unique_ptr<TableSource>> TableFolder::open(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  if (error) return fail_errno(error.value(), fmt::format("reading the folder of tables '{}'", path));
  auto folder = std::make_unique<TableFolder>();
  folder->path_ = path;
  for (const auto& entry : entries) {
    const auto name = entry.path().filename().string();
    for (const auto task : kTasks) {
      const auto suffix = table_file_name("", task);
      if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
      folder->workloads_[task].push_back(name.substr(0, name.size() - suffix.size()));
    }
  }
  for (auto& [task, names] : folder->workloads_)
    std::sort(names.begin(), names.end());
  if (folder->workloads_.empty()) {
    return fail(ErrorCode::not_found, fmt::format("no tables in '{}'", path),
                "they are named <workload>-train.csv and <workload>-infer.csv");
  }
  return folder;
}

std::vector<std::string> TableFolder::workloads(WorkloadTask task) const {
  const auto found = workloads_.find(task);
  return found == workloads_.end() ? std::vector<std::string>{} : found->second;
}

Expected<Table> TableFolder::table(const std::string& workload, WorkloadTask task) const {
  return read_table(path_ + "/" + table_file_name(workload, task), workload, task);
}

// ---- a simulated board ----

Expected<std::unique_ptr<TableSource>> SimulatedTables::of_board(const std::string& board, bool full) {
  FULCRUM_TRY_ASSIGN(hardware, powermode::SimulatedHardware::builtin(board));
  FULCRUM_TRY_ASSIGN(model, SimulatedWorkloads::builtin(board));
  FULCRUM_TRY_ASSIGN(grid, grid_of_board(hardware));
  if (!full) grid = thinned(grid);
  return std::unique_ptr<TableSource>(new SimulatedTables(board, std::move(model), std::move(grid)));
}

std::vector<std::string> SimulatedTables::workloads(WorkloadTask task) const {
  auto names = model_.class_names();
  const auto unknown = [&](const std::string& name) {
    return !model_.step_time_ms(name, task, batch_sizes(task).front(), grid_.highest());
  };
  names.erase(std::remove_if(names.begin(), names.end(), unknown), names.end());
  return names;
}

Expected<Table> SimulatedTables::table(const std::string& workload, WorkloadTask task) const {
  std::vector<Profile> rows;
  rows.reserve(grid_.size() * batch_sizes(task).size());
  for (std::size_t number = 0; number < grid_.size(); ++number) {
    const PowerMode mode = grid_.mode(number);
    for (const int batch : batch_sizes(task)) {
      FULCRUM_TRY_ASSIGN(time_ms, model_.step_time_ms(workload, task, batch, mode));
      FULCRUM_TRY_ASSIGN(power_w, model_.busy_power_w(workload, task, batch, mode));
      rows.push_back({task, mode, batch, time_ms, time_ms, power_w});
    }
  }
  return Table::make(workload, task, rows);
}

Expected<std::unique_ptr<TableSource>> open_tables(const std::string& folder, const std::string& board,
                                                   bool full) {
  return folder.empty() ? SimulatedTables::of_board(board, full) : TableFolder::open(folder);
}

}  // namespace fulcrum::eval
