#pragma once
// What knobs were set to, as texts, so that they can be put back exactly.

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum::powermode {

class KnobValues {
 public:
  struct Entry {
    std::string path;
    std::string value;
  };

  // The value of a knob, or nothing if it is not among these.
  std::optional<std::string> find(const std::string& path) const;
  void set(std::string path, std::string value);
  // Takes over what is not yet here; says whether there was any.
  bool add_missing(const KnobValues& other);
  const std::vector<Entry>& entries() const { return entries_; }

  Json to_json() const;  // [{"path", "value"}, ...]
  [[nodiscard]] static Expected<KnobValues> from_json(const Json& json);

 private:
  std::vector<Entry> entries_;
};

// What nvpmodel was last told to set, which outlives a reboot, and where it is.
struct SavedNvpmodel {
  std::string program;
  std::string conf;  // see NvpmodelProgram
  int mode_id = 0;
};

// One file with the values from before the first write to the board.
struct SavedKnobs {
  std::string board_id;
  std::string boot_id;
  KnobValues values;
  std::optional<SavedNvpmodel> nvpmodel;  // none: it is not used
};

[[nodiscard]] Expected<void> save_knobs(const std::string& path, const SavedKnobs& saved);

// Nothing if there is no file. `corrupt`, with what to do, for a file that is not what save_knobs writes.
[[nodiscard]] Expected<std::optional<SavedKnobs>> load_saved_knobs(const std::string& path);

}  // namespace fulcrum::powermode
