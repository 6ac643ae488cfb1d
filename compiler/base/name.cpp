// The table of interned names.
#include "compiler/base/name.h"

#include <cstring>

namespace meteor::base {

namespace {

// Identifiers are short: eight bytes at a time with one multiplication each.
uint64_t hash_text(std::string_view text) {
  constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ull;
  uint64_t hash = text.size() * FACTOR;
  const char* at = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * FACTOR;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  uint64_t tail = 0;
  for (size_t i = 0; i < left; i++) tail |= uint64_t(uint8_t(at[i])) << (8 * i);
  hash = (hash ^ tail) * FACTOR;
  return hash ^ (hash >> 29);
}

}  // namespace

NameTable::NameTable() : slots_(1024) {}

Name NameTable::intern(std::string_view text) {
  if (text.empty()) return Name();
  uint64_t hash = hash_text(text);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].text != nullptr) {
    if (slots_[at].hash == hash && *slots_[at].text == text) return Name(slots_[at].text);
    at = (at + 1) & mask;
  }
  const std::string_view* stored = texts_.make<std::string_view>(texts_.copy_text(text));
  slots_[at] = {hash, stored};
  if (++count_ * 2 > slots_.size()) grow();
  return Name(stored);
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.text == nullptr) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].text != nullptr) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace meteor::base
