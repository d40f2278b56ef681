#pragma once
// Makes inputs that are nearly right: a seed with a few random changes, blind ones (bits, bytes, blocks) and
// ones that know what text formats trip over (numbers at the ends of types, brackets, quotes, bytes that are
// no UTF-8).

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fulcrum::fuzz {

class Mutator {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 16;

  // `seeds` must not be empty, and must outlive this.
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  // The same input for the same number and seeds, on every machine.
  std::string make(std::uint64_t number);

 private:
  struct Block {
    std::size_t at = 0;
    std::size_t size = 0;
  };

  std::size_t below(std::size_t bound);  // 0 where bound is 0
  Block block_of(const std::string& text, std::size_t longest);
  const std::string& any_seed() { return seeds_[below(seeds_.size())]; }

  void change(std::string& input);
  void flip_bit(std::string& input);
  void set_byte(std::string& input);
  void insert_bytes(std::string& input);
  void erase_block(std::string& input);
  void repeat_block(std::string& input);
  void insert_token(std::string& input);
  void replace_number(std::string& input);
  void splice_block(std::string& input);
  void swap_tail(std::string& input);

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_;
};

}  // namespace fulcrum::fuzz
