#include "workloads/torch_call.h"

#include <c10/util/Exception.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <new>
#include <regex>

#ifdef FULCRUM_TORCH_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

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

template <std::size_t n>
bool has_one_of(const std::string& text, const std::array<const char*, n>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&text](const char* word) { return text.find(word) != std::string::npos; });
}

std::string on_one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return std::regex_replace(text, std::regex("\\s*\n\\s*"), " ");
}

}  // namespace

ErrorCode code_of(const std::exception& thrown) {
  constexpr std::array kOutOfMemory{"out of memory", "can't allocate memory", "not enough memory",
                                    "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"};
  // Most of them are sticky: no later call on the device succeeds.
  constexpr std::array kDeviceLost{"CUDA error: ", "CUDNN_STATUS_", "CUBLAS_STATUS_"};
  const std::string what = thrown.what();
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr || has_one_of(what, kOutOfMemory))
    return ErrorCode::out_of_memory;
  return has_one_of(what, kDeviceLost) ? ErrorCode::device_lost : ErrorCode::internal;
}

void free_cached_memory() {
#ifdef FULCRUM_TORCH_WITH_CUDA
  c10::cuda::CUDACachingAllocator::emptyCache();
#endif
  ::malloc_trim(0);
}

std::string reason_of(const std::exception& thrown) {
  const auto* torchs = dynamic_cast<const c10::Error*>(&thrown);
  return on_one_line(
      words_of_the_operator(torchs != nullptr ? torchs->what_without_backtrace() : thrown.what()));
}

}  // namespace fulcrum::workloads
