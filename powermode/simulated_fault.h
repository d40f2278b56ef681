#pragma once
// What may go wrong with nodes of a simulated board.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum {

struct SimulatedFault {
  enum class Kind {
    write_error,   // writes fail with error_name
    ignore_write,  // writes succeed and change nothing
    read_error,    // reads fail with error_name
    frozen,        // reads tell what the node said when the fault began
    block,         // reads do not return before the fault is cleared
    absent,        // the node is not there, nor what is below it; before any other fault
  };

  std::string pattern;  // a path, or one with wildcards as in glob(7), where * also matches /
  Kind kind = Kind::write_error;
  std::string error_name;                     // such as EBUSY; only for the two errors
  std::optional<int> count;                   // so many times; none, as for the last two: until it is cleared
  std::map<std::string, std::string> frozen;  // what nodes said, by path; filled when the fault is added

  bool matches(const std::string& path) const;
  int error_number() const;  // of error_name

  // invalid_argument for an error name that is unknown, missing, or where none belongs, and for a count
  // below 1, or where none belongs.
  [[nodiscard]] Expected<void> check() const;

  Json to_json() const;
  [[nodiscard]] static Expected<SimulatedFault> from_json(const Json& json);
};

// Whether one of the faults takes away a path, or a directory that it is in.
bool is_absent(const std::vector<SimulatedFault>& faults, const std::string& path);

std::string_view to_string(SimulatedFault::Kind kind);
[[nodiscard]] Expected<SimulatedFault::Kind> parse_fault_kind(const std::string& name);

}  // namespace fulcrum
