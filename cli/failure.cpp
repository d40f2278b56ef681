#include "cli/failure.h"

namespace fulcrum::cli {

bool tell_field_as_written(Error& fault, const std::string& prefix) {
  const auto& field = fault.field;
  if (field.rfind(prefix, 0) != 0) return false;
  if (field.size() > prefix.size() && field[prefix.size()] != '/') return false;
  fault.field.erase(0, prefix.size() + 1);
  for (char& c : fault.field) {
    if (c == '/') c = '.';
  }
  return true;
}

}  // namespace fulcrum::cli
