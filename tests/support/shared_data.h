#pragma once
// Data that is kept beside the checkout rather than in it.

#include <string>

namespace fulcrum::test {

// $FULCRUM_SHARED_DATA, else shared/data beside the checkout. It need not be there.
std::string shared_data_dir();

}  // namespace fulcrum::test
