#pragma once
// SQLite with owners and errors as values: the few calls that Fulcrum's stores need.

#include <sqlite3.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"

namespace fulcrum::sqlite {

class Statement;

class Database {
 public:
  // Opens or creates the file, in WAL mode with synchronous=FULL: what a call has stored outlives a power
  // cut. `corrupt` for a file that is no sound database.
  [[nodiscard]] static Expected<Database> open(const std::string& path);

  Database(Database&& other) noexcept
      : path_(std::move(other.path_)), db_(std::exchange(other.db_, nullptr)) {}
  Database& operator=(Database&& other) noexcept;
  ~Database();

  [[nodiscard]] Expected<void> execute(const char* sql) const;
  [[nodiscard]] Expected<Statement> prepare(std::string_view sql) const;
  // Makes the tables of a new file, or brings those of an older format up to date: the n-th text leads from
  // format n to n + 1, the first from nothing. `unsupported` for a file of a later format, which is left as
  // it is.
  [[nodiscard]] Expected<void> create_schema(std::initializer_list<const char*> steps) const;

  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(db_); }
  int changed_rows() const { return sqlite3_changes(db_); }

 private:
  Database(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}
  [[nodiscard]] Expected<void> configure() const;
  [[nodiscard]] Expected<void> check_soundness() const;
  [[nodiscard]] Expected<std::int64_t> user_version() const;

  std::string path_;
  sqlite3* db_ = nullptr;
};

// One prepared statement, used by one call at a time; the next bind_all begins anew.
class Statement {
 public:
  Statement(std::string path, sqlite3_stmt* statement) : path_(std::move(path)), statement_(statement) {}
  Statement(Statement&& other) noexcept
      : path_(std::move(other.path_)), statement_(std::exchange(other.statement_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  // Values for ?1, ?2, ...: std::int64_t, double, std::string (copied), std::optional of these (none: NULL).
  template <class... Values>
  void bind_all(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
  }

  // True when there is a row, false at the end.
  [[nodiscard]] Expected<bool> step();
  // Steps to the end; for statements that return no rows.
  [[nodiscard]] Expected<void> run();
  // Ends the reading of rows, and so its hold on the database.
  void reset() { sqlite3_reset(statement_); }

  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;

 private:
  void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
  void bind(int index, double value) { sqlite3_bind_double(statement_, index, value); }
  void bind(int index, const std::string& value) {
    sqlite3_bind_text64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      sqlite3_bind_null(statement_, index);
    }
  }

  std::string path_;
  sqlite3_stmt* statement_ = nullptr;
};

// Rolls back unless committed.
class Transaction {
 public:
  [[nodiscard]] static Expected<Transaction> begin(const Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  [[nodiscard]] Expected<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace fulcrum::sqlite
