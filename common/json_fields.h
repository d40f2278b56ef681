#pragma once
// Reads the fields of a JSON object into variables that hold their defaults, and collects every fault on the
// way instead of stopping at the first: wrong types, values out of range, missing and unknown fields.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum {

// A range of numbers, each end inside it or not.
struct Interval {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  bool low_excluded = false;
  bool high_excluded = false;

  static constexpr Interval between(double low, double high) {
    return {low, high, false, false};
  }  // [low, high]
  static constexpr Interval above(double low, double high) {
    return {low, high, true, false};
  }  // (low, high]
  static constexpr Interval from_to_below(double low, double high) {
    return {low, high, false, true};
  }  // [low, high)

  bool contains(double value) const;  // false for NaN
  std::string to_string() const;      // "above 0 and at most 100"
};

class JsonFields {
 public:
  enum class Need { optional, required };

  // `pointer` is where `json` stands in the input ("" for all of it). If it is no object that is one fault,
  // and nothing more is said about its fields. `json` and `faults` must outlive this.
  JsonFields(const Json& json, std::string pointer, std::vector<Error>& faults);

  bool has(const std::string& name) const { return object_ != nullptr && object_->contains(name); }

  // The field's value whatever its type, or nullptr.
  const Json* find(const std::string& name, Need need = Need::optional);

  // True if the field is there and valid; then `into` has its value. Otherwise `into` is as it was.
  bool read(const std::string& name, bool& into, Need need = Need::optional);
  bool read(const std::string& name, std::string& into, Need need = Need::optional);
  bool read(const std::string& name, std::uint64_t& into, Need need = Need::optional);
  bool read(const std::string& name, int& into, const Interval& range, Need need = Need::optional);
  // `range` within +-2^53, where every whole number is a double.
  bool read(const std::string& name, std::int64_t& into, const Interval& range, Need need = Need::optional);
  bool read(const std::string& name, double& into, const Interval& range, Need need = Need::optional);
  // An absolute path; a list of them, from 1 to `most`.
  bool read_path(const std::string& name, std::string& into, Need need = Need::optional);
  bool read_paths(const std::string& name, std::vector<std::string>& into, std::size_t most,
                  Need need = Need::optional);

  // One of `choices`. A value in `later` is refused as unsupported rather than as unknown.
  bool read_choice(const std::string& name, std::string& into, const std::vector<std::string>& choices,
                   const std::vector<std::string>& later = {}, Need need = Need::optional);

  // The fields of an object inside this one; nothing if it is absent.
  std::optional<JsonFields> object(const std::string& name, Need need = Need::optional);

  // Adds a fault at this object's field.
  void fault(const std::string& name, ErrorCode code, std::string message, std::string hint = {});

  // To be called last: fields that nobody asked for are faults.
  void finish();

 private:
  void wrong_type(const std::string& name, const std::string& needed, const Json& found);

  const Json* object_;
  std::string pointer_;
  std::vector<Error>* faults_;
  std::vector<std::string> known_;
};

// `json` as a whole number inside `range`; nothing if it is not one.
std::optional<int> whole_number(const Json& json, const Interval& range);

// A name as one step of a JSON pointer: "a/b" -> "/a~1b".
std::string pointer_step(const std::string& name);

}  // namespace fulcrum
