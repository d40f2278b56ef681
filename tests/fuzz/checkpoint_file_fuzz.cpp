// A checkpoint that somebody else may have written, beside an older one that is whole.

#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/promise.h"
#include "tests/support/temp_dir.h"
#include "workloads/checkpoint_store.h"

using namespace fulcrum;
using fuzz::promise;
using workloads::CheckpointStore;
using workloads::StoredCheckpoint;

namespace {

// Files as CheckpointStore makes them: of step 1, and of step 2.
constexpr const char* kOlder = "checkpoint-000000000001.ckpt";
constexpr const char* kNewer = "checkpoint-000000000002.ckpt";
constexpr const char* kWhole = "fulcrum-checkpoint 1 352441c2 0000000000000003\nabc";

Expected<std::optional<StoredCheckpoint>> load(const std::string& newer, std::vector<Error>& warnings) {
  const test::TempDir directory;
  test::spill(directory / kOlder, kWhole);
  test::spill(directory / kNewer, newer);
  return CheckpointStore::open(directory.path()).value().load_latest(warnings);
}

void check_accepted(const std::string& bytes, std::string file) {
  promise(file.size() > bytes.size() && file.substr(file.size() - bytes.size()) == bytes,
          "the bytes are what stands after the header");
  char& byte = file[file.size() / 2];
  byte = static_cast<char>(byte ^ 1);
  std::vector<Error> warnings;
  const auto latest = load(file, warnings);
  promise(latest && *latest && (*latest)->step == 1, "no bit of a checkpoint may be another");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(fuzz::as_text(data, size));
  std::vector<Error> warnings;
  const auto latest = load(file, warnings);
  promise(latest && latest->has_value(), "one broken file does not cost the job");
  for (const auto& warning : warnings)
    fuzz::promise_reason(warning);
  if ((*latest)->step == 2) {
    promise(warnings.empty(), "a whole checkpoint gives no warning");
    check_accepted((*latest)->bytes, file);
  } else {
    promise((*latest)->bytes == "abc" && warnings.size() == 1, "the older one stands in, and that is told");
  }
  return 0;
}
