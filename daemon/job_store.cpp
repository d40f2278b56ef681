#include "daemon/job_store.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace fulcrum::daemon {

namespace {

constexpr const char* kSchema = R"sql(
  CREATE TABLE job (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,  -- a number is never given twice
    client_token TEXT UNIQUE,
    spec         TEXT NOT NULL,
    state        TEXT NOT NULL,
    submitted_ms INTEGER NOT NULL,
    started_ms   INTEGER,
    finished_ms  INTEGER,
    progress     TEXT NOT NULL DEFAULT '{}',
    result       TEXT,
    error        TEXT
  ) STRICT;
)sql";

constexpr const char* kColumns =
    "id, client_token, spec, state, submitted_ms, started_ms, finished_ms, progress, result, error";

constexpr std::array<std::pair<JobState, std::string_view>, 7> kStates{{
    {JobState::queued, "queued"},
    {JobState::starting, "starting"},
    {JobState::profiling, "profiling"},
    {JobState::running, "running"},
    {JobState::done, "done"},
    {JobState::failed, "failed"},
    {JobState::cancelled, "cancelled"},
}};

Unexpected fail_unknown(JobId id) {
  return fail(ErrorCode::not_found, fmt::format("there is no job {}", id),
              "'fulcrumctl list' shows all jobs");
}

Expected<Json> parse_column(const sqlite::Statement& row, int column, const char* name) {
  auto json = parse_json(row.text(column));
  if (json) return json;
  return fail(ErrorCode::corrupt,
              fmt::format("job {} in the job store: its {} is {}", row.whole(0), name, json.error().message));
}

// Columns in the order of kColumns.
Expected<JobRecord> read_row(const sqlite::Statement& row) {
  JobRecord job;
  job.id = row.whole(0);
  if (!row.is_null(1)) job.client_token = row.text(1);
  FULCRUM_TRY_ASSIGN(spec, parse_column(row, 2, "spec"));
  job.spec = std::move(spec);
  const auto state = job_state_from(row.text(3));
  if (!state) {
    return fail(ErrorCode::corrupt,
                fmt::format("job {} in the job store: unknown state '{}'", job.id, row.text(3)));
  }
  job.state = *state;
  job.submitted_ms = row.whole(4);
  if (!row.is_null(5)) job.started_ms = row.whole(5);
  if (!row.is_null(6)) job.finished_ms = row.whole(6);
  FULCRUM_TRY_ASSIGN(progress, parse_column(row, 7, "progress"));
  job.progress = std::move(progress);
  if (!row.is_null(8)) {
    FULCRUM_TRY_ASSIGN(result, parse_column(row, 8, "result"));
    job.result = std::move(result);
  }
  if (!row.is_null(9)) job.error = row.text(9);
  return job;
}

std::optional<std::string> to_text(const std::optional<Json>& json) {
  if (!json) return std::nullopt;
  return to_line(*json);
}

std::string to_text(JobState state) {
  return std::string(to_string(state));
}

}  // namespace

std::string_view to_string(JobState state) {
  for (const auto& [known, name] : kStates) {
    if (known == state) return name;
  }
  return "unknown";
}

std::optional<JobState> job_state_from(std::string_view name) {
  for (const auto& [state, known] : kStates) {
    if (known == name) return state;
  }
  return std::nullopt;
}

bool has_ended(JobState state) {
  return state == JobState::done || state == JobState::failed || state == JobState::cancelled;
}

Expected<JobStore> JobStore::open(const std::string& path) {
  auto database = sqlite::Database::open(path);
  if (!database) return in_context(std::move(database).error(), "opening the job store");
  FULCRUM_TRY(database->create_schema({kSchema}));
  FULCRUM_TRY_ASSIGN(statements, prepare(*database));
  return JobStore(*std::move(database), std::move(statements));
}

Expected<JobStore::Statements> JobStore::prepare(const sqlite::Database& database) {
  const std::string select = fmt::format("SELECT {} FROM job ", kColumns);
  FULCRUM_TRY_ASSIGN(insert, database.prepare("INSERT INTO job (client_token, spec, state, submitted_ms) "
                                              "VALUES (?1, ?2, ?3, ?4)"));
  FULCRUM_TRY_ASSIGN(find_token, database.prepare("SELECT id, spec FROM job WHERE client_token = ?1"));
  FULCRUM_TRY_ASSIGN(get, database.prepare(select + "WHERE id = ?1"));
  FULCRUM_TRY_ASSIGN(list, database.prepare(select + "ORDER BY id"));
  FULCRUM_TRY_ASSIGN(list_active, database.prepare(select + "WHERE finished_ms IS NULL ORDER BY id"));
  FULCRUM_TRY_ASSIGN(
      update_state,
      database.prepare("UPDATE job SET state = ?2, started_ms = coalesce(started_ms, ?3) WHERE id = ?1"));
  FULCRUM_TRY_ASSIGN(update_progress, database.prepare("UPDATE job SET progress = ?2 WHERE id = ?1"));
  FULCRUM_TRY_ASSIGN(
      finish, database.prepare("UPDATE job SET state = ?2, finished_ms = ?3, error = coalesce(?4, error), "
                               "result = coalesce(?5, result), progress = coalesce(?6, progress) "
                               "WHERE id = ?1"));
  return Statements{std::move(insert),
                    std::move(find_token),
                    std::move(get),
                    std::move(list),
                    std::move(list_active),
                    std::move(update_state),
                    std::move(update_progress),
                    std::move(finish)};
}

Expected<JobStore::Added> JobStore::add(const Json& spec, const std::optional<std::string>& client_token,
                                        std::int64_t now_ms) {
  const std::string text = to_line(spec);
  if (client_token) {
    auto& find = statements_.find_token;
    find.bind_all(*client_token);
    FULCRUM_TRY_ASSIGN(known, find.step());
    if (known) {
      const JobId id = find.whole(0);
      const bool same = find.text(1) == text;
      find.reset();
      if (same) return Added{id, true};
      return fail(
          ErrorCode::already_exists,
          fmt::format("client_token '{}' was used for job {}, whose spec is another", *client_token, id),
          "choose a new token for a new job");
    }
    find.reset();
  }
  statements_.insert.bind_all(client_token, text, to_text(JobState::queued), now_ms);
  FULCRUM_TRY(statements_.insert.run());
  return Added{database_.last_insert_id(), false};
}

Expected<std::optional<JobId>> JobStore::find_token(const std::string& client_token) {
  auto& find = statements_.find_token;
  find.bind_all(client_token);
  FULCRUM_TRY_ASSIGN(known, find.step());
  const auto id = known ? std::optional<JobId>(find.whole(0)) : std::nullopt;
  find.reset();
  return id;
}

Expected<JobRecord> JobStore::get(JobId id) {
  auto& query = statements_.get;
  query.bind_all(id);
  FULCRUM_TRY_ASSIGN(found, query.step());
  if (!found) {
    query.reset();
    return fail_unknown(id);
  }
  auto job = read_row(query);
  query.reset();
  return job;
}

Expected<std::vector<JobRecord>> JobStore::list() {
  return read_all(statements_.list);
}
Expected<std::vector<JobRecord>> JobStore::list_active() {
  return read_all(statements_.list_active);
}

Expected<std::vector<JobRecord>> JobStore::read_all(sqlite::Statement& query) {
  std::vector<JobRecord> jobs;
  query.bind_all();
  while (true) {
    FULCRUM_TRY_ASSIGN(has_row, query.step());
    if (!has_row) break;
    auto job = read_row(query);
    if (!job) {
      query.reset();
      return Unexpected(std::move(job).error());
    }
    jobs.push_back(*std::move(job));
  }
  query.reset();
  return jobs;
}

Expected<void> JobStore::update_state(JobId id, JobState state, std::int64_t now_ms) {
  std::optional<std::int64_t> started_ms;
  if (state == JobState::running) started_ms = now_ms;
  statements_.update_state.bind_all(id, to_text(state), started_ms);
  return run_for(id, statements_.update_state);
}

Expected<void> JobStore::update_progress(JobId id, const Json& progress) {
  statements_.update_progress.bind_all(id, to_line(progress));
  return run_for(id, statements_.update_progress);
}

Expected<void> JobStore::finish(JobId id, const End& end, std::int64_t now_ms) {
  statements_.finish.bind_all(id, to_text(end.state), now_ms, end.error, to_text(end.result),
                              to_text(end.progress));
  return run_for(id, statements_.finish);
}

Expected<void> JobStore::run_for(JobId id, sqlite::Statement& statement) {
  FULCRUM_TRY(statement.run());
  if (database_.changed_rows() == 0) return fail_unknown(id);
  return {};
}

}  // namespace fulcrum::daemon
