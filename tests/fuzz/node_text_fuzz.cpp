// What a sysfs node says, read as a text, as a number, and as a list of frequencies.

#include <algorithm>
#include <string>

#include "powermode/node_text.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::powermode;
using fuzz::promise;

const std::string kPath = "/sys/node";

// A tree in which the one node says what it was given.
class OneNode final : public FileTree {
 public:
  explicit OneNode(std::string text) : text_(std::move(text)) {}

  Expected<std::string> read(const std::string&) const override { return text_; }
  Expected<void> write(const std::string&, std::string_view) override { return nothing_else(); }
  Expected<std::vector<std::string>> list(const std::string&) const override { return nothing_else(); }
  bool exists(const std::string& path) const override { return path == kPath; }
  Expected<std::string> readlink(const std::string&) const override { return nothing_else(); }

 private:
  static Unexpected nothing_else() { return fail(ErrorCode::unsupported, "this tree can only be read"); }

  std::string text_;
};

void check_text(const std::string& node) {
  const std::string text = trimmed(node);
  promise(node.rfind(text, 0) == 0, "trimming takes away from the end only");
  promise(trimmed(text) == text, "what is trimmed stays as it is");
  const auto read = read_text(OneNode(node), kPath);
  promise(read && *read == text, "a node's text is trimmed");
}

void check_number(const std::string& node) {
  const auto number = read_number(OneNode(node), kPath);
  if (!number) return fuzz::promise_reason(number.error());
  const auto again = parse_number(std::to_string(*number));
  promise(again && *again == *number, "a number survives its text");
}

void check_numbers(const std::string& node) {
  const auto numbers = read_numbers(OneNode(node), kPath);
  if (!numbers) return fuzz::promise_reason(numbers.error());
  promise(!numbers->empty() && numbers->front() > 0, "frequencies are above 0");
  promise(std::is_sorted(numbers->begin(), numbers->end(), std::less_equal<>()),
          "frequencies ascend, each once");
  std::string text;
  std::for_each(numbers->rbegin(), numbers->rend(),
                [&text](std::int64_t number) { text += std::to_string(number) + " (kHz)\n"; });
  const auto again = read_numbers(OneNode(text), kPath);
  promise(again && *again == *numbers, "frequencies survive their text, in any order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string node(fuzz::as_text(data, size));
  check_text(node);
  check_number(node);
  check_numbers(node);
  return 0;
}
