// A source file as the formatter sees it: lines with their blocks, brackets with
// their elements, and each comment at the token or line it belongs to.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ast/token_roles.h"
#include "compiler/source/sources.h"

namespace meteor::format {

struct Comment {
  std::string_view text;          // from its `#`, without spaces at its end
  uint32_t blank_lines = 0;       // before it
};

// What is printed in one go: a token, or an f-string with all that is in it.
struct Piece {
  std::string_view text;
  tokens::TokenKind kind{};
  ast::TokenRole role{};
  bool space = false;             // before it, unless it begins a line
  bool is_operand = false;        // what follows may be a call or an index of it
  bool continues = false;         // stands after a backslash at the end of the line before
  bool blank_before = false;
  uint32_t width = 0;             // up to its first line end
  std::vector<Comment> leading;   // lines above it, inside brackets
  std::string_view trailing;      // the comment after it on its line
};

enum class NodeKind : uint8_t { Piece, Group, Block };

struct Node {
  NodeKind kind{};
  uint32_t index = 0;
};

constexpr uint32_t NONE = UINT32_MAX;

struct Element {
  std::vector<Node> nodes;
  uint32_t comma = NONE;          // the piece after it
  uint32_t width = 0;             // on one line, without the comma
  bool is_comprehension = false;
  bool ends_in_block = false;
};

// A bracket and what is in it.
struct Group {
  uint32_t open = NONE, close = NONE;
  std::vector<Element> elements;
  bool may_end_in_comma = false;  // a comma after the last element means nothing
  bool is_forced = false;         // has comments or a block in it, or its author put a comma at the end and a line break at the start
  bool is_fixed = false;          // too small to be worth breaking
  bool is_filled = false;         // many small literals: as many to a line as fit
  uint32_t width = 0;             // on one line, brackets included
};

struct Line {
  std::vector<Comment> comments;  // above it
  std::vector<Node> nodes;
  uint32_t blank_lines = 0;       // before it, after its comments
  uint32_t body = NONE;           // the block below it
};

struct Block {
  std::vector<Line> lines;
  std::vector<Comment> comments;  // after the last line
};

struct SourceLines {
  std::vector<Piece> pieces;
  std::vector<Group> groups;
  std::vector<Block> blocks;
  uint32_t root = 0;              // index of the file's block
};

// Requires that the file parsed without errors.
SourceLines read_lines(std::string_view text, const ast::TokenRoles& roles, source::FileId file, const source::Sources& sources);

// In columns: every scalar is one.
uint32_t width_of(std::string_view text);

}  // namespace meteor::format
