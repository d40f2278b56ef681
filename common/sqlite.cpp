#include "common/sqlite.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fulcrum::sqlite {

namespace {

constexpr int kBusyTimeoutMs = 1000;

Unexpected fail_sqlite(sqlite3* db, int result, const std::string& path, const std::string& doing) {
  const std::string message =
      fmt::format("{} '{}': {}", doing, path, db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(result));
  switch (result & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(
          ErrorCode::corrupt, message,
          fmt::format("Fulcrum leaves the file as it is. Save what can be read with "
                      "\"sqlite3 '{0}' .recover | sqlite3 '{0}.recovered'\" and put that in its place, or "
                      "move it away to begin with an empty one",
                      path));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(ErrorCode::busy, message, "another program holds it open in a transaction");
    case SQLITE_FULL:
      return fail(ErrorCode::io, message, "make room on the disk");
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return fail(ErrorCode::permission_denied, message);
    case SQLITE_CANTOPEN:
      return fail(ErrorCode::io, message, "does its directory exist, and may we write there?");
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return fail(ErrorCode::io, message);
    default:
      return fail(ErrorCode::internal, message);
  }
}

}  // namespace

Expected<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(
      path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(path, handle);
  if (result != SQLITE_OK) return fail_sqlite(handle, result, path, "opening");
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  FULCRUM_TRY(database.configure());
  FULCRUM_TRY(database.check_soundness());
  return database;
}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(db_, other.db_);
  return *this;
}

Database::~Database() {
  sqlite3_close_v2(db_);
}

Expected<void> Database::configure() const {
  return execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
}

Expected<void> Database::check_soundness() const {
  FULCRUM_TRY_ASSIGN(check, prepare("PRAGMA quick_check(1)"));
  FULCRUM_TRY_ASSIGN(has_row, check.step());
  const std::string verdict = has_row ? check.text(0) : "ok";
  if (verdict == "ok") return {};
  auto error = fail_sqlite(nullptr, SQLITE_CORRUPT, path_, "checking").value();
  error.message += ": " + verdict;
  return Unexpected(std::move(error));
}

Expected<void> Database::execute(const char* sql) const {
  const int result = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return fail_sqlite(db_, result, path_, "using");
  return {};
}

Expected<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return fail_sqlite(db_, result, path_, "using");
  return Statement(path_, statement);
}

Expected<std::int64_t> Database::user_version() const {
  FULCRUM_TRY_ASSIGN(query, prepare("PRAGMA user_version"));
  FULCRUM_TRY_ASSIGN(has_row, query.step());
  return has_row ? query.whole(0) : 0;
}

Expected<void> Database::create_schema(std::initializer_list<const char*> steps) const {
  const auto version = static_cast<std::int64_t>(steps.size());
  FULCRUM_TRY_ASSIGN(found, user_version());
  if (found == version) return {};
  if (found > version) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' was written by a newer Fulcrum: its format is {}, this one knows {}", path_,
                            found, version),
                "install that version again, or use another state_dir");
  }
  FULCRUM_TRY_ASSIGN(transaction, Transaction::begin(*this));
  for (const auto* step = steps.begin() + std::max<std::int64_t>(found, 0); step != steps.end(); ++step)
    FULCRUM_TRY(execute(*step));
  FULCRUM_TRY(execute(fmt::format("PRAGMA user_version = {}", version).c_str()));
  return transaction.commit();
}

Expected<bool> Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  auto failure = fail_sqlite(sqlite3_db_handle(statement_), result, path_, "using");
  reset();
  return failure;
}

Expected<void> Statement::run() {
  while (true) {
    FULCRUM_TRY_ASSIGN(has_row, step());
    if (has_row) continue;
    reset();
    return {};
  }
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Expected<Transaction> Transaction::begin(const Database& database) {
  FULCRUM_TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // A failed statement may have rolled back by itself; then this one finds nothing to do, which is fine.
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

Expected<void> Transaction::commit() {
  FULCRUM_TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace fulcrum::sqlite
