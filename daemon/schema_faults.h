#pragma once
// Why a value does not fit a schema, in words. Looks only at the keywords of one place; see Schema for the
// whole.

#include <string>
#include <vector>

#include "common/json_text.h"
#include "daemon/faults.h"

namespace fulcrum::daemon {

// Steps from the root of a value: names of fields, or indices as text.
using SchemaPath = std::vector<std::string>;

std::string to_pointer(const SchemaPath& path);

// What is wrong at `path` itself (not below it) in `root` according to `schema`, a schema without references.
// Where a oneOf offers several forms that are told apart by a constant field, the form that the value claims
// to be is used.
Faults explain(const Json& schema, const Json& root, const SchemaPath& path);

}  // namespace fulcrum::daemon
