#pragma once
// Files in the repository that are written by the code, so that they cannot say something else.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/temp_dir.h"

namespace fulcrum::test {

// Whether a file in the repository has the text `wanted`; with FULCRUM_REGENERATE set, it is written first.
inline testing::AssertionResult is_up_to_date(const std::string& path_in_repository,
                                              const std::string& wanted) {
  const std::string path = std::string(FULCRUM_SOURCE_DIR) + "/" + path_in_repository;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  if (std::getenv("FULCRUM_REGENERATE") != nullptr) spill(path, wanted);
  if (slurp(path) == wanted) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << path_in_repository
         << " is not what the code says: run this test with FULCRUM_REGENERATE=1, and "
            "look at the difference";
}

}  // namespace fulcrum::test
