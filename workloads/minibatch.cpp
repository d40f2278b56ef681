#include "workloads/minibatch.h"

namespace fulcrum::workloads {

std::size_t bytes_of(ElementType type) {
  return type == ElementType::float32 ? sizeof(float) : sizeof(std::int64_t);
}

const char* name_of(ElementType type) {
  return type == ElementType::float32 ? "float32" : "int64";
}

std::size_t ArrayLayout::elements() const {
  std::size_t product = 1;
  for (const auto dim : shape)
    product *= static_cast<std::size_t>(dim);
  return product;
}

}  // namespace fulcrum::workloads
