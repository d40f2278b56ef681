#include "common/yaml_documents.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace fulcrum {

namespace {

using Style = YAML::EmitterStyle::value;
using YAML::anchor_t;
using YAML::Mark;

class Starts final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const Mark& mark) override { found.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const Mark&, anchor_t) override {}
  void OnAlias(const Mark&, anchor_t) override {}
  void OnScalar(const Mark&, const std::string&, anchor_t, const std::string&) override {}
  void OnSequenceStart(const Mark&, const std::string&, anchor_t, Style) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const Mark&, const std::string&, anchor_t, Style) override {}
  void OnMapEnd() override {}

  std::vector<Mark> found;
};

}  // namespace

std::vector<Mark> yaml_document_starts(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Starts starts;
  while (starts.found.size() < 2 && parser.HandleNextDocument(starts)) {
  }
  return std::move(starts.found);
}

}  // namespace fulcrum
