#pragma once
// fulcrumctl with a daemon that answers by a script.

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "common/json_text.h"
#include "tests/unit/cli/run_cli.h"
#include "tests/unit/cli/scripted_server.h"

namespace fulcrum::cli {

class ScriptedProgramTest : public testing::Test {
 protected:
  // The next answer of the daemon to the one client that will come.
  void answers(const Json& result) { add({{"result", result}}); }
  void refuses(const Json& faults) {
    add({{"error", {{"code", -32602}, {"message", "no"}, {"data", {{"faults", faults}}}}}});
  }

  int run(std::vector<std::string> arguments, const std::string& input = {}) {
    server_.emplace(lines_);
    arguments.insert(arguments.begin(), {"--socket", server_->path()});
    const auto done = run_cli(std::move(arguments), input);
    out_ = done.out;
    err_ = done.err;
    return done.status;
  }

  std::size_t requests() const { return server_->requests().size(); }
  std::string method(std::size_t number = 0) const { return request(number).at("method"); }
  Json params(std::size_t number = 0) const { return request(number).at("params"); }

  std::string out_;
  std::string err_;

 private:
  Json request(std::size_t number) const { return Json::parse(server_->requests().at(number)); }
  void add(Json answer) {
    answer["jsonrpc"] = "2.0";
    answer["id"] = lines_.size() + 1;
    lines_.push_back(to_line(answer) + "\n");
  }

  std::vector<std::string> lines_;
  std::optional<test::ScriptedServer> server_;
};

}  // namespace fulcrum::cli
