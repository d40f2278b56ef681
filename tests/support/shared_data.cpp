#include "tests/support/shared_data.h"

#include <cstdlib>

namespace fulcrum::test {

std::string shared_data_dir() {
  const char* set = std::getenv("FULCRUM_SHARED_DATA");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return set != nullptr ? set : FULCRUM_DEFAULT_SHARED_DATA;
}

}  // namespace fulcrum::test
