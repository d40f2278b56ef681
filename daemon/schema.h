#pragma once
// JSON Schema (draft 7) whose refusals people understand: every fault at once, each with the JSON pointer of
// its place and a message in words. valijson judges; the words come from the schema at the place that it
// names.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/json_text.h"
#include "daemon/faults.h"

namespace fulcrum::daemon {

class Schema {
 public:
  // `schema` with its references resolved (see expand_references).
  [[nodiscard]] static Expected<Schema> compile(const Json& schema);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Empty if `value` is valid. Every fault's field begins with `pointer`, the place of `value` in the input.
  // A value with too many parts is refused unread; at most kMaxFaults are told.
  [[nodiscard]] Faults validate(const Json& value, const std::string& pointer = {}) const;

  static constexpr std::size_t kMaxParts = 10000;
  static constexpr std::size_t kMaxFaults = 50;

 private:
  struct Compiled;
  explicit Schema(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// Replaces each {"$ref": "#/..."} by what it points to in `document`, and each {"$ref": "name"} by the whole
// document that `find` returns for the name (a null pointer: unknown). Words beside a $ref stand above those
// of the target. `not_found` for a dangling reference, `limit_exceeded` for one that contains itself.
using FindDocument = std::function<const Json*(const std::string& name)>;
[[nodiscard]] Expected<Json> expand_references(const Json& document, const FindDocument& find = {});

}  // namespace fulcrum::daemon
