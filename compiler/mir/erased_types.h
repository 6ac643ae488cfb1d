// Types that differ only in what machine code can't see: `list<Cat>` and `list<Dog>` are the same words in the same places, counted the same
// way. Two instances of a generic function over such types may be one function (passes/share_instances).
#pragma once

#include <string>
#include <unordered_map>

#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::mir {

class ErasedTypes {
 public:
  ErasedTypes(const typed::Program& program, const types::TypeStore& types) : program_(program), types_(types) {}

  // Equal for types whose values are stored, passed and counted alike. Classes count as alike when their objects have one layout.
  uint32_t as_value(types::TypeId type) { return number(loose(type)); }
  // Equal for types whose fields are the same fields: instances of one declaration over alike arguments.
  uint32_t as_owner_of_fields(types::TypeId type) { return number(strict(type)); }

 private:
  const std::string& loose(types::TypeId type);
  const std::string& strict(types::TypeId type);
  std::string make_loose(types::TypeId type);
  std::string arguments(const types::Type& type);
  std::string layout_of_class(types::TypeId type);
  uint32_t number(const std::string& key) { return numbers_.emplace(key, static_cast<uint32_t>(numbers_.size())).first->second; }

  const typed::Program& program_;
  const types::TypeStore& types_;
  std::unordered_map<types::TypeId, std::string> loose_, strict_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

}  // namespace meteor::mir
