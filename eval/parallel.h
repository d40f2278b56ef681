#pragma once
// Work shared out among threads.

#include <cstddef>
#include <functional>

namespace fulcrum::eval {

// Calls work(thread, item) once for each item of 0 ... items - 1, in ascending order of their beginnings, and
// returns when all are done. thread: 0 ... threads - 1. `work` does not throw.
void share_out(std::size_t items, unsigned threads,
               const std::function<void(unsigned thread, std::size_t item)>& work);

}  // namespace fulcrum::eval
