// What the world may refuse: a value, or the path that failed and why.
// Mistakes in the user's program are Diagnostics instead, our own are CHECKs.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "compiler/base/check.h"

namespace meteor::base {

struct Failure {
  std::string path;
  std::string reason;   // one line, lower case, no full stop

  std::string text() const { return path + ": " + reason; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const Failure& failure() const {
    CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Failure> state_;
};

struct Done {};   // Result<Done>: success has nothing to say

}  // namespace meteor::base
