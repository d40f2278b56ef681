#pragma once
// All jobs that were ever handed in, in a SQLite database that outlives the daemon and a power cut. What a
// call has stored is durable when it returns. One thread uses it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "common/sqlite.h"

namespace fulcrum::daemon {

// profiling: it is ready to run, and the board is being searched for the mode to run it in.
enum class JobState { queued, starting, profiling, running, done, failed, cancelled };

std::string_view to_string(JobState state);
std::optional<JobState> job_state_from(std::string_view name);
// Done, failed or cancelled: nothing happens to it any more.
bool has_ended(JobState state);

struct JobRecord {
  JobId id = 0;
  std::optional<std::string> client_token;
  Json spec;  // with all defaults, as JobSpec::to_json wrote it
  JobState state = JobState::queued;
  std::int64_t submitted_ms = 0;  // milliseconds since 1970
  std::optional<std::int64_t> started_ms;
  std::optional<std::int64_t> finished_ms;
  Json progress = Json::object();
  std::optional<Json> result;
  std::optional<std::string> error;  // why it failed
};

class JobStore {
 public:
  // `corrupt` for a damaged file and `unsupported` for one that a newer Fulcrum wrote; both are left as they
  // are.
  [[nodiscard]] static Expected<JobStore> open(const std::string& path);

  struct Added {
    JobId id;
    bool existed;  // the token was known, with this same spec
  };
  // A new job in state queued. `already_exists` if the token came with another spec.
  [[nodiscard]] Expected<Added> add(const Json& spec, const std::optional<std::string>& client_token,
                                    std::int64_t now_ms);

  // The job that came with this token, if there is one.
  [[nodiscard]] Expected<std::optional<JobId>> find_token(const std::string& client_token);

  [[nodiscard]] Expected<JobRecord> get(JobId id);               // `not_found`
  [[nodiscard]] Expected<std::vector<JobRecord>> list();         // by id
  [[nodiscard]] Expected<std::vector<JobRecord>> list_active();  // those that have not ended

  // Not for the end of a job: see finish. The first `running` sets started_ms.
  [[nodiscard]] Expected<void> update_state(JobId id, JobState state, std::int64_t now_ms);
  [[nodiscard]] Expected<void> update_progress(JobId id, const Json& progress);

  // The end of a job, with its last words, in one step. A result or error that is not given stays as it was.
  struct End {
    JobState state = JobState::done;
    std::optional<std::string> error;
    std::optional<Json> result;
    std::optional<Json> progress;
  };
  [[nodiscard]] Expected<void> finish(JobId id, const End& end, std::int64_t now_ms);

 private:
  struct Statements {
    sqlite::Statement insert, find_token, get, list, list_active, update_state, update_progress, finish;
  };
  JobStore(sqlite::Database database, Statements statements)
      : database_(std::move(database)), statements_(std::move(statements)) {}

  [[nodiscard]] static Expected<Statements> prepare(const sqlite::Database& database);
  [[nodiscard]] static Expected<std::vector<JobRecord>> read_all(sqlite::Statement& query);
  [[nodiscard]] Expected<void> run_for(JobId id, sqlite::Statement& statement);

  sqlite::Database database_;
  Statements statements_;
};

}  // namespace fulcrum::daemon
