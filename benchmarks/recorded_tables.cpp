#include "benchmarks/recorded_tables.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace fulcrum::benchmarks {

namespace {

constexpr const char* kHeader = "cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w";

bool parse_row(const std::string& line, scheduler::Profile& profile) {
  std::istringstream row(line);
  char comma[6] = {};
  row >> profile.mode.cpu_cores >> comma[0] >> profile.mode.cpu_khz >> comma[1] >> profile.mode.gpu_hz >>
      comma[2] >> profile.mode.emc_hz >> comma[3] >> profile.batch_size >> comma[4] >> profile.p50_ms >>
      comma[5] >> profile.power_w;
  profile.p99_ms = profile.p50_ms;
  return !row.fail() && (row >> std::ws).eof() && std::string(comma, sizeof comma) == ",,,,,,";
}

}  // namespace

Expected<void> read_table(const std::string& path, WorkloadTask task, const scheduler::ModeGrid& grid,
                          scheduler::ProfileSet& into) {
  std::ifstream file(path);
  if (!file) return fail_errno(errno, fmt::format("opening '{}'", path));
  std::string line;
  if (!std::getline(file, line) || line != kHeader) {
    return fail(ErrorCode::corrupt, fmt::format("{}:1: the header is not '{}'", path, kHeader));
  }
  for (int number = 2; std::getline(file, line); ++number) {
    scheduler::Profile profile;
    profile.task = task;
    if (!parse_row(line, profile)) {
      return fail(ErrorCode::corrupt, fmt::format("{}:{}: not a row of the table: '{}'", path, number, line));
    }
    if (!grid.contains(profile.mode)) continue;
    if (auto added = into.add(profile); !added) {
      return in_context(std::move(added).error(), fmt::format("{}:{}", path, number));
    }
  }
  return {};
}

Expected<scheduler::ModeGrid> orin_evaluation_grid() {
  return scheduler::ModeGrid::make(
      {{{4, 8, 12},
        {422400, 729600, 1036800, 1344000, 1651200, 1958400, 2201600},
        {114750000, 318750000, 522750000, 726750000, 930750000, 1134750000, 1300500000},
        {665600000, 2133000000, 3199000000}}});
}

}  // namespace fulcrum::benchmarks
