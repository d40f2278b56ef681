#pragma once
// How putting a board's knobs back went, knob by knob.

#include <string>
#include <vector>

#include "common/json_text.h"

namespace fulcrum {

struct RestoreReport {
  struct Knob {
    std::string path;
    std::string wanted;
    std::string found;  // after restoring; empty if it cannot be read
    std::string error;  // empty: found is wanted
  };

  std::vector<Knob> knobs;

  bool complete() const;
  std::string summary() const;  // "24 knobs restored", or how many were not and which is the first
  Json to_json() const;
};

}  // namespace fulcrum
