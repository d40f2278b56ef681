#pragma once
// A simulated board as a mounted file system (FUSE), for programs that know nothing of Fulcrum: they see its
// nodes as they would see a board's sysfs, with the same links, modes and errnos.

#include <functional>
#include <string>

#include "common/error.h"
#include "powermode/simulated_file_tree.h"

namespace fulcrum {

// Mounts the board on an empty directory and serves it there, until it is unmounted or SIGINT, SIGTERM or
// SIGHUP comes, which unmounts it; a read that a fault blocks then ends with EINTR. `mounted` is called once,
// on a thread of its own, when the mount answers. Users other than the caller may look only if that is root.
// One mount at a time in a process: the signals' handlers are the process's. `nvpmodel` is the text of the
// program that stands at kSimulatedNvpmodelProgram, to be run there.
//
// `unsupported` where nobody may mount: /dev/fuse or the right to mount is missing; libfuse has then written
// why to stderr. Other errors are about the directory.
[[nodiscard]] Expected<void> serve_mount(SimulatedFileTree& board, const std::string& directory,
                                         std::string nvpmodel, const std::function<void()>& mounted);

}  // namespace fulcrum
