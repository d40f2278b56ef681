#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace fulcrum::fuzz {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostChanges = 6;
constexpr std::size_t kLongestBlock = 256;
constexpr std::size_t kMostRepeats = 200;

constexpr std::array kNumbers{"0"sv,
                              "-1"sv,
                              "1"sv,
                              "00"sv,
                              "1.5"sv,
                              "-0.0"sv,
                              "65536"sv,
                              "2147483647"sv,
                              "2147483648"sv,
                              "-2147483649"sv,
                              "4294967297"sv,
                              "9223372036854775807"sv,
                              "9223372036854775808"sv,
                              "-9223372036854775808"sv,
                              "18446744073709551615"sv,
                              "18446744073709551616"sv,
                              "1e308"sv,
                              "1e309"sv,
                              "5e-324"sv,
                              ".nan"sv,
                              ".inf"sv,
                              "0x7f"sv};

constexpr std::array kTokens{"{"sv,      "}"sv,
                             "["sv,      "]"sv,
                             "\""sv,     ":"sv,
                             ","sv,      "\n"sv,
                             "\r\n"sv,   "\t"sv,
                             "\0"sv,     "null"sv,
                             "true"sv,   "{}"sv,
                             "[]"sv,     "\"\""sv,
                             "\\"sv,     "\\u0000"sv,
                             "\\ud8"sv,  "\xff\xfe"sv,
                             "\xc3"sv,   "\xef\xbb\xbf"sv,
                             "- "sv,     ": "sv,
                             "&a "sv,    "*a"sv,
                             "!"sv,      "? "sv,
                             "<<: *a"sv, "--- "sv,
                             "#"sv,      "%YAML "sv,
                             "|\n"sv,    "/"sv,
                             " "sv,      "\x1f\x8b"sv};

constexpr std::array<std::uint8_t, 8> kBytes{0x00, 0x01, 0x0a, 0x20, 0x7f, 0x80, 0xfe, 0xff};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string Mutator::make(std::uint64_t number) {
  random_.seed(number);
  std::string input = any_seed();
  for (std::size_t changes = 1 + below(kMostChanges); changes > 0; --changes)
    change(input);
  if (input.size() > kMaxBytes) input.resize(kMaxBytes);
  return input;
}

void Mutator::change(std::string& input) {
  using Change = void (Mutator::*)(std::string&);
  constexpr std::array<Change, 9> kChanges{
      &Mutator::flip_bit,       &Mutator::set_byte,     &Mutator::insert_bytes,
      &Mutator::erase_block,    &Mutator::repeat_block, &Mutator::insert_token,
      &Mutator::replace_number, &Mutator::splice_block, &Mutator::swap_tail};
  (this->*kChanges[below(kChanges.size())])(input);
}

// By remainder, not by std::uniform_int_distribution, whose numbers differ between libraries.
std::size_t Mutator::below(std::size_t bound) {
  return bound == 0 ? 0 : static_cast<std::size_t>(random_() % bound);
}

Mutator::Block Mutator::block_of(const std::string& text, std::size_t longest) {
  const std::size_t at = below(text.size());
  return {at, std::min(1 + below(longest), text.size() - at)};
}

void Mutator::flip_bit(std::string& input) {
  if (input.empty()) return;
  char& byte = input[below(input.size())];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8)));
}

void Mutator::set_byte(std::string& input) {
  if (input.empty()) return;
  input[below(input.size())] = static_cast<char>(kBytes[below(kBytes.size())]);
}

void Mutator::insert_bytes(std::string& input) {
  std::string bytes(1 + below(4), '\0');
  for (char& byte : bytes)
    byte = static_cast<char>(below(256));
  input.insert(below(input.size() + 1), bytes);
}

void Mutator::erase_block(std::string& input) {
  const Block block = block_of(input, kLongestBlock);
  input.erase(block.at, block.size);
}

// Short ones often: that is how nesting gets deep.
void Mutator::repeat_block(std::string& input) {
  const Block block = block_of(input, below(2) == 0 ? 4 : kLongestBlock);
  const std::string text = input.substr(block.at, block.size);
  std::string repeated;
  for (std::size_t times = 1 + below(kMostRepeats); times > 0 && repeated.size() < kMaxBytes / 4; --times)
    repeated += text;
  input.insert(block.at, repeated);
}

void Mutator::insert_token(std::string& input) {
  input.insert(below(input.size() + 1), kTokens[below(kTokens.size())]);
}

// The first number at or after a random place.
void Mutator::replace_number(std::string& input) {
  const auto from = input.begin() + static_cast<std::ptrdiff_t>(below(input.size()));
  const auto first = std::find_if(from, input.end(), is_digit);
  const auto last = std::find_if_not(first, input.end(), is_digit);
  input.replace(first, last, kNumbers[below(kNumbers.size())]);
}

void Mutator::splice_block(std::string& input) {
  const std::string& other = any_seed();
  const Block from = block_of(other, kLongestBlock);
  const Block to = block_of(input, kLongestBlock);
  input.replace(to.at, to.size, other, from.at, from.size);
}

void Mutator::swap_tail(std::string& input) {
  const std::string& other = any_seed();
  input.resize(below(input.size() + 1));
  input.append(other, below(other.size() + 1));
}

}  // namespace fulcrum::fuzz
