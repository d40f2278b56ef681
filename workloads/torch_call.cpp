#include "workloads/torch_call.h"

#include <c10/util/Exception.h>

#include <regex>

namespace fulcrum::workloads {

namespace {

// The interpreter lists the code down to the operator that failed, and then the operator's own words on a
// line "RuntimeError: ..." (or the name of what the module raised).
std::string words_of_the_operator(const std::string& what) {
  if (what.find("TorchScript") == std::string::npos) return what;
  static const std::regex line("(^|\n)([A-Za-z_][A-Za-z_.]*(Error|Exception): )");
  const std::string* words = &what;
  std::string found;
  for (std::sregex_iterator it(what.begin(), what.end(), line), end; it != end; ++it) {
    const auto name = static_cast<std::size_t>(it->position(2));
    const bool plain = it->str(2) == "RuntimeError: ";
    found = what.substr(plain ? name + it->str(2).size() : name);
    words = &found;
  }
  return *words;
}

std::string on_one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return std::regex_replace(text, std::regex("\\s*\n\\s*"), " ");
}

}  // namespace

std::string reason_of(const std::exception& thrown) {
  const auto* torchs = dynamic_cast<const c10::Error*>(&thrown);
  return on_one_line(
      words_of_the_operator(torchs != nullptr ? torchs->what_without_backtrace() : thrown.what()));
}

}  // namespace fulcrum::workloads
