#pragma once
// Every measurement that was ever taken or imported, in a SQLite database that outlives the daemon and a
// power cut. What a call has stored is durable when it returns. One thread uses it.
//
// Of one key the kKeptOfOneKey newest measurements are kept and answer together, pooled (profile.h).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/sqlite.h"
#include "profiler/measurement.h"
#include "profiler/profile.h"
#include "profiler/profile_exchange.h"

namespace fulcrum::profiler {

// What is given must match; an empty filter matches everything.
struct ProfileFilter {
  std::optional<std::string> board_id;
  std::optional<std::string> fingerprint;
  std::optional<WorkloadTask> task;
  std::optional<PowerMode> mode;
  std::optional<int> batch_size;
  std::optional<std::int64_t> measured_before_ms;  // milliseconds since 1970
};

class ProfileStore {
 public:
  static constexpr int kKeptOfOneKey = 9;

  // `corrupt` for a damaged file and `unsupported` for one that a newer Fulcrum wrote; both are left as they
  // are.
  [[nodiscard]] static Expected<ProfileStore> open(const std::string& path);

  // The same measurement a second time changes nothing.
  [[nodiscard]] Expected<void> add(const Measurement& measurement);
  // All or none. How many were not known yet.
  [[nodiscard]] Expected<int> add_all(const std::vector<Measurement>& measurements);

  // The profiles of one workload, in the order of modes and batch sizes.
  [[nodiscard]] Expected<std::vector<Profile>> find(const std::string& board_id,
                                                    const std::string& fingerprint, WorkloadTask task);
  // By key.
  [[nodiscard]] Expected<std::vector<Profile>> list(const ProfileFilter& filter);
  // One by one, by key and time.
  [[nodiscard]] Expected<std::vector<Measurement>> measurements(const ProfileFilter& filter);

  // How many measurements were forgotten. A whole workload's calibration and memory are forgotten with them.
  [[nodiscard]] Expected<int> forget(const ProfileFilter& filter);

  // How much slower than the simulated board's model the steps of a workload are made to last, which is what
  // all of its times there rest on; the first that is stored stays.
  [[nodiscard]] Expected<std::optional<double>> kappa(const std::string& board_id,
                                                      const std::string& fingerprint);
  [[nodiscard]] Expected<void> keep_kappa(const std::string& board_id, const std::string& fingerprint,
                                          double kappa);

  // The most memory that a job of a workload has taken. `job`: what of the job counts for it and is not in
  // the fingerprint.
  [[nodiscard]] Expected<std::optional<std::int64_t>> memory_bytes(const std::string& board_id,
                                                                   const std::string& fingerprint,
                                                                   const std::string& job);
  [[nodiscard]] Expected<void> keep_memory(const std::string& board_id, const std::string& fingerprint,
                                           const std::string& job, std::int64_t bytes);

  [[nodiscard]] Expected<Json> export_json(const ProfileFilter& filter);

  struct Imported {
    int added = 0;
    int known = 0;  // were here before
  };
  // For the board `board_id`, all or none; every fault of the document is told.
  [[nodiscard]] tl::expected<Imported, std::vector<Error>> import_json(
      const Json& document, const std::string& board_id, ForeignBoards foreign = ForeignBoards::refuse);

 private:
  struct Statements {
    sqlite::Statement insert, prune, select, remove, select_kappa, insert_kappa, remove_kappa, select_memory,
        insert_memory, remove_memory;
  };
  ProfileStore(sqlite::Database database, Statements statements)
      : database_(std::move(database)), statements_(std::move(statements)) {}

  [[nodiscard]] static Expected<Statements> prepare(const sqlite::Database& database);
  [[nodiscard]] Expected<bool> insert(const Measurement& measurement);  // false if it was known

  sqlite::Database database_;
  Statements statements_;
};

}  // namespace fulcrum::profiler
