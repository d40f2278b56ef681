#include "profiler/profile_store.h"

#include <fmt/format.h>

#include <utility>

namespace fulcrum::profiler {

namespace {

constexpr const char* kSchema = R"sql(
  CREATE TABLE measurement (
    id             INTEGER PRIMARY KEY,
    board          TEXT NOT NULL,
    workload       TEXT NOT NULL,
    task           TEXT NOT NULL,
    cpu_cores      INTEGER NOT NULL,
    cpu_khz        INTEGER NOT NULL,
    gpu_hz         INTEGER NOT NULL,
    emc_hz         INTEGER NOT NULL,
    batch_size     INTEGER NOT NULL,
    minibatches    INTEGER NOT NULL,
    p50_ms         REAL NOT NULL,
    p99_ms         REAL NOT NULL,
    mean_ms        REAL NOT NULL,
    stddev_ms      REAL NOT NULL,
    power_w        REAL NOT NULL,
    temperature_c  REAL,
    measured_at_ms INTEGER NOT NULL,
    cost_s         REAL NOT NULL,
    -- Two measurements that agree in all of this are one that came twice.
    UNIQUE (board, workload, task, cpu_cores, cpu_khz, gpu_hz, emc_hz, batch_size, measured_at_ms, mean_ms,
            power_w)
  ) STRICT;
  CREATE TABLE calibration (
    board    TEXT NOT NULL,
    workload TEXT NOT NULL,
    kappa    REAL NOT NULL,
    PRIMARY KEY (board, workload)
  ) STRICT;
)sql";

constexpr const char* kWithForeignLoad = "ALTER TABLE measurement ADD COLUMN foreign_gpu_load REAL";

constexpr const char* kWithMemory = R"sql(
  CREATE TABLE memory (
    board    TEXT NOT NULL,
    workload TEXT NOT NULL,
    job      TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (board, workload, job)
  ) STRICT;
)sql";

constexpr const char* kColumns =
    "board, workload, task, cpu_cores, cpu_khz, gpu_hz, emc_hz, batch_size, minibatches, p50_ms, p99_ms, "
    "mean_ms, stddev_ms, power_w, temperature_c, measured_at_ms, cost_s, foreign_gpu_load";

constexpr const char* kOfKey =
    "board = ?1 AND workload = ?2 AND task = ?3 AND cpu_cores = ?4 AND cpu_khz = ?5 AND gpu_hz = ?6 AND "
    "emc_hz = ?7 AND batch_size = ?8";

// The values of a ProfileFilter, as bind_filter has them.
constexpr const char* kMatches =
    "(?1 IS NULL OR board = ?1) AND (?2 IS NULL OR workload = ?2) AND (?3 IS NULL OR task = ?3) AND "
    "(?4 IS NULL OR (cpu_cores, cpu_khz, gpu_hz, emc_hz) = (?4, ?5, ?6, ?7)) AND "
    "(?8 IS NULL OR batch_size = ?8) AND (?9 IS NULL OR measured_at_ms < ?9)";

std::int64_t wide(int value) {
  return value;
}

void bind_filter(sqlite::Statement& statement, const ProfileFilter& filter) {
  using Whole = std::optional<std::int64_t>;
  std::optional<std::string> task;
  if (filter.task) task = std::string(to_string(*filter.task));
  Whole cpu_cores, cpu_khz, gpu_hz, emc_hz;
  if (filter.mode) {
    cpu_cores = filter.mode->cpu_cores;
    cpu_khz = filter.mode->cpu_khz;
    gpu_hz = filter.mode->gpu_hz;
    emc_hz = filter.mode->emc_hz;
  }
  Whole batch_size;
  if (filter.batch_size) batch_size = *filter.batch_size;
  statement.bind_all(filter.board_id, filter.fingerprint, task, cpu_cores, cpu_khz, gpu_hz, emc_hz,
                     batch_size, filter.measured_before_ms);
}

bool names_whole_workloads(const ProfileFilter& filter) {
  return !filter.task && !filter.mode && !filter.batch_size && !filter.measured_before_ms;
}

// Columns in the order of kColumns.
Expected<Measurement> read_row(const sqlite::Statement& row) {
  Measurement found;
  found.key.board_id = row.text(0);
  found.key.fingerprint = row.text(1);
  const auto task = parse_workload_task(row.text(2));
  if (!task) {
    return fail(ErrorCode::corrupt, fmt::format("a measurement in the profile store has the task '{}': {}",
                                                row.text(2), task.error().message));
  }
  found.key.task = *task;
  found.key.mode = {static_cast<int>(row.whole(3)), row.whole(4), row.whole(5), row.whole(6)};
  found.key.batch_size = static_cast<int>(row.whole(7));
  found.minibatches = static_cast<int>(row.whole(8));
  found.time = {row.number(9), row.number(10), row.number(11), row.number(12)};
  found.power_w = row.number(13);
  if (!row.is_null(14)) found.temperature_c = row.number(14);
  found.measured_at_ms = row.whole(15);
  found.cost_s = row.number(16);
  if (!row.is_null(17)) found.foreign_gpu_load = row.number(17);
  return found;
}

}  // namespace

Expected<ProfileStore> ProfileStore::open(const std::string& path) {
  auto database = sqlite::Database::open(path);
  if (!database) return in_context(std::move(database).error(), "opening the profile store");
  FULCRUM_TRY(database->create_schema({kSchema, kWithForeignLoad, kWithMemory}));
  FULCRUM_TRY_ASSIGN(statements, prepare(*database));
  return ProfileStore(*std::move(database), std::move(statements));
}

Expected<ProfileStore::Statements> ProfileStore::prepare(const sqlite::Database& database) {
  FULCRUM_TRY_ASSIGN(insert, database.prepare(fmt::format(
                                 "INSERT INTO measurement ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                                 "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) ON CONFLICT DO NOTHING",
                                 kColumns)));
  FULCRUM_TRY_ASSIGN(prune, database.prepare(fmt::format(
                                "DELETE FROM measurement WHERE {0} AND id NOT IN (SELECT id FROM measurement "
                                "WHERE {0} ORDER BY measured_at_ms DESC, id DESC LIMIT {1})",
                                kOfKey, kKeptOfOneKey)));
  FULCRUM_TRY_ASSIGN(select, database.prepare(fmt::format(
                                 "SELECT {} FROM measurement WHERE {} ORDER BY board, workload, task, "
                                 "cpu_cores, cpu_khz, gpu_hz, emc_hz, batch_size, measured_at_ms, id",
                                 kColumns, kMatches)));
  FULCRUM_TRY_ASSIGN(remove, database.prepare(fmt::format("DELETE FROM measurement WHERE {}", kMatches)));
  FULCRUM_TRY_ASSIGN(select_kappa, database.prepare("SELECT kappa FROM calibration WHERE board = ?1 AND "
                                                    "workload = ?2"));
  FULCRUM_TRY_ASSIGN(insert_kappa, database.prepare("INSERT INTO calibration (board, workload, kappa) VALUES "
                                                    "(?1, ?2, ?3) ON CONFLICT DO NOTHING"));
  FULCRUM_TRY_ASSIGN(remove_kappa,
                     database.prepare("DELETE FROM calibration WHERE (?1 IS NULL OR board = ?1) AND "
                                      "(?2 IS NULL OR workload = ?2)"));
  FULCRUM_TRY_ASSIGN(
      select_memory,
      database.prepare("SELECT bytes FROM memory WHERE board = ?1 AND workload = ?2 AND job = ?3"));
  FULCRUM_TRY_ASSIGN(insert_memory,
                     database.prepare("INSERT INTO memory (board, workload, job, bytes) VALUES "
                                      "(?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET bytes = "
                                      "max(bytes, excluded.bytes)"));
  FULCRUM_TRY_ASSIGN(remove_memory,
                     database.prepare("DELETE FROM memory WHERE (?1 IS NULL OR board = ?1) AND "
                                      "(?2 IS NULL OR workload = ?2)"));
  return Statements{std::move(insert),       std::move(prune),         std::move(select),
                    std::move(remove),       std::move(select_kappa),  std::move(insert_kappa),
                    std::move(remove_kappa), std::move(select_memory), std::move(insert_memory),
                    std::move(remove_memory)};
}

Expected<void> ProfileStore::add(const Measurement& measurement) {
  FULCRUM_TRY(add_all({measurement}));
  return {};
}

Expected<int> ProfileStore::add_all(const std::vector<Measurement>& measurements) {
  FULCRUM_TRY_ASSIGN(transaction, sqlite::Transaction::begin(database_));
  int added = 0;
  for (const auto& measurement : measurements) {
    FULCRUM_TRY_ASSIGN(is_new, insert(measurement));
    if (is_new) ++added;
  }
  FULCRUM_TRY(transaction.commit());
  return added;
}

Expected<bool> ProfileStore::insert(const Measurement& measurement) {
  const auto& key = measurement.key;
  const auto& time = measurement.time;
  const std::string task(to_string(key.task));
  statements_.insert.bind_all(key.board_id, key.fingerprint, task, wide(key.mode.cpu_cores), key.mode.cpu_khz,
                              key.mode.gpu_hz, key.mode.emc_hz, wide(key.batch_size),
                              wide(measurement.minibatches), time.p50_ms, time.p99_ms, time.mean_ms,
                              time.stddev_ms, measurement.power_w, measurement.temperature_c,
                              measurement.measured_at_ms, measurement.cost_s, measurement.foreign_gpu_load);
  FULCRUM_TRY(statements_.insert.run());
  if (database_.changed_rows() == 0) return false;
  statements_.prune.bind_all(key.board_id, key.fingerprint, task, wide(key.mode.cpu_cores), key.mode.cpu_khz,
                             key.mode.gpu_hz, key.mode.emc_hz, wide(key.batch_size));
  FULCRUM_TRY(statements_.prune.run());
  return true;
}

Expected<std::vector<Profile>> ProfileStore::find(const std::string& board_id, const std::string& fingerprint,
                                                  WorkloadTask task) {
  ProfileFilter filter;
  filter.board_id = board_id;
  filter.fingerprint = fingerprint;
  filter.task = task;
  return list(filter);
}

Expected<std::vector<Profile>> ProfileStore::list(const ProfileFilter& filter) {
  FULCRUM_TRY_ASSIGN(found, measurements(filter));
  return pool_by_key(std::move(found));
}

Expected<std::vector<Measurement>> ProfileStore::measurements(const ProfileFilter& filter) {
  auto& query = statements_.select;
  bind_filter(query, filter);
  std::vector<Measurement> found;
  while (true) {
    FULCRUM_TRY_ASSIGN(has_row, query.step());
    if (!has_row) break;
    auto measurement = read_row(query);
    if (!measurement) {
      query.reset();
      return Unexpected(std::move(measurement).error());
    }
    found.push_back(*std::move(measurement));
  }
  query.reset();
  return found;
}

Expected<int> ProfileStore::forget(const ProfileFilter& filter) {
  FULCRUM_TRY_ASSIGN(transaction, sqlite::Transaction::begin(database_));
  bind_filter(statements_.remove, filter);
  FULCRUM_TRY(statements_.remove.run());
  const int forgotten = database_.changed_rows();
  if (names_whole_workloads(filter)) {
    statements_.remove_kappa.bind_all(filter.board_id, filter.fingerprint);
    FULCRUM_TRY(statements_.remove_kappa.run());
    statements_.remove_memory.bind_all(filter.board_id, filter.fingerprint);
    FULCRUM_TRY(statements_.remove_memory.run());
  }
  FULCRUM_TRY(transaction.commit());
  return forgotten;
}

Expected<std::optional<double>> ProfileStore::kappa(const std::string& board_id,
                                                    const std::string& fingerprint) {
  auto& query = statements_.select_kappa;
  query.bind_all(board_id, fingerprint);
  FULCRUM_TRY_ASSIGN(has_row, query.step());
  std::optional<double> found;
  if (has_row) found = query.number(0);
  query.reset();
  return found;
}

Expected<void> ProfileStore::keep_kappa(const std::string& board_id, const std::string& fingerprint,
                                        double kappa) {
  statements_.insert_kappa.bind_all(board_id, fingerprint, kappa);
  return statements_.insert_kappa.run();
}

Expected<std::optional<std::int64_t>> ProfileStore::memory_bytes(const std::string& board_id,
                                                                 const std::string& fingerprint,
                                                                 const std::string& job) {
  auto& query = statements_.select_memory;
  query.bind_all(board_id, fingerprint, job);
  FULCRUM_TRY_ASSIGN(has_row, query.step());
  std::optional<std::int64_t> found;
  if (has_row) found = query.whole(0);
  query.reset();
  return found;
}

Expected<void> ProfileStore::keep_memory(const std::string& board_id, const std::string& fingerprint,
                                         const std::string& job, std::int64_t bytes) {
  statements_.insert_memory.bind_all(board_id, fingerprint, job, bytes);
  return statements_.insert_memory.run();
}

Expected<Json> ProfileStore::export_json(const ProfileFilter& filter) {
  FULCRUM_TRY_ASSIGN(found, measurements(filter));
  return write_exchange(found);
}

tl::expected<ProfileStore::Imported, std::vector<Error>> ProfileStore::import_json(
    const Json& document, const std::string& board_id, ForeignBoards foreign) {
  auto measurements = read_exchange(document, board_id, foreign);
  if (!measurements) return tl::unexpected(std::move(measurements).error());
  auto added = add_all(*measurements);
  if (!added) return tl::unexpected(std::vector<Error>{std::move(added).error()});
  return Imported{*added, static_cast<int>(measurements->size()) - *added};
}

}  // namespace fulcrum::profiler
