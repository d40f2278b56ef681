#pragma once
// How many documents a YAML text holds, before it is loaded with YAML::Load(). YAML::LoadAll() would tell,
// but up to yaml-cpp 0.8 it never ends on text such as ",": it takes the comma for documents without end.

#include <yaml-cpp/mark.h>

#include <string>
#include <vector>

namespace fulcrum {

// Where the first two documents begin, or the one, or none. Throws YAML::Exception for what is no YAML.
std::vector<YAML::Mark> yaml_document_starts(const std::string& text);

}  // namespace fulcrum
