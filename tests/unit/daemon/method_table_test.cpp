#include "daemon/method_table.h"

#include <gmock/gmock.h>

#include "daemon/schema.h"
#include "tests/unit/daemon/generated_file.h"

namespace fulcrum::daemon {
namespace {

using testing::IsEmpty;

std::vector<MethodDescription> table() {
  return load_method_table().value();
}

std::vector<std::string> faults_of(const Json& schema, const Json& value) {
  std::vector<std::string> texts;
  for (const auto& fault : Schema::compile(schema).value().validate(value))
    texts.push_back(fault.to_string());
  return texts;
}

TEST(MethodTable, EveryExampleRequestIsValid) {
  for (const auto& method : table()) {
    EXPECT_THAT(faults_of(method.params, method.example.at("params")), IsEmpty()) << method.name;
  }
}

TEST(MethodTable, EveryExampleResultIsValid) {
  for (const auto& method : table()) {
    EXPECT_THAT(faults_of(method.result, method.example.at("result")), IsEmpty()) << method.name;
  }
}

TEST(MethodTable, NoMethodTakesUnknownParameters) {
  for (const auto& method : table()) {
    auto params = method.example.at("params");
    params["oddity"] = 1;
    EXPECT_EQ(faults_of(method.params, params).size(), 1u) << method.name;
  }
}

TEST(MethodTable, NoReferenceIsLeft) {
  for (const auto& method : table())
    EXPECT_EQ(to_line(method.to_json()).find("$ref"), std::string::npos) << method.name;
}

TEST(MethodTable, TheDocumentIsWhatTheTableSays) {
  EXPECT_TRUE(test::is_up_to_date("docs/api.md", render_api_markdown(table())));
}

}  // namespace
}  // namespace fulcrum::daemon
