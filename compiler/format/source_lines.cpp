// Tokens and comments → SourceLines.
#include "compiler/format/source_lines.h"

#include <algorithm>

#include "compiler/format/spacing.h"

namespace meteor::format {

using ast::TokenRole;
using tokens::Token;
using tokens::TokenKind;

namespace {

constexpr uint32_t FIXED_WIDTH = 12;      // what is in a bracket of this size stays together
constexpr uint32_t SMALL_LITERAL = 12;
constexpr uint32_t OPERAND_WIDTH = 60;
constexpr size_t MIN_FILLED = 8;

bool is_literal(TokenKind kind) {
  switch (kind) {
    case TokenKind::Int: case TokenKind::Float: case TokenKind::Duration: case TokenKind::Str: case TokenKind::Bytes:
    case TokenKind::True: case TokenKind::False: case TokenKind::Null: return true;
    default: return false;
  }
}

bool binds(TokenKind kind) {
  bool is_assignment = kind >= TokenKind::Eq;
  return kind == TokenKind::And || kind == TokenKind::Or || kind == TokenKind::Not || (kind >= TokenKind::Plus && !is_assignment);
}

class Reader {
 public:
  Reader(std::string_view text, const ast::TokenRoles& roles, source::FileId file, const source::Sources& sources)
      : text_(text), roles_(roles), tokens_(roles.tokens.tokens), comments_(roles.tokens.comments), file_(file), sources_(sources), spacing_(roles) {}

  SourceLines run() {
    out_.root = add_block();
    read_block(out_.root, 0);
    return std::move(out_);
  }

 private:
  uint32_t add_block() {
    out_.blocks.emplace_back();
    return uint32_t(out_.blocks.size() - 1);
  }
  uint32_t line_at(uint32_t offset) const { return sources_.position(file_, offset).line; }
  TokenKind kind() const { return tokens_[pos_].kind; }
  bool has_comment_before(uint32_t offset) const { return comment_ < comments_.size() && comments_[comment_].start < offset; }

  // Where the line of `offset` begins to have something; a tab goes to the next multiple of eight.
  uint32_t column_of(uint32_t offset) const {
    uint32_t start = sources_.line_start(file_, line_at(offset));
    uint32_t column = 0;
    for (uint32_t i = start; i < offset; i++) {
      if (text_[i] == '\t') column = (column / 8 + 1) * 8;
      else if (text_[i] == '\f') column = 0;
      else column++;
    }
    return column;
  }

  // Lines without anything between what was read last and `offset`.
  uint32_t blank_lines_before(uint32_t offset) const {
    if (last_end_ == 0) return 0;
    uint32_t gap = line_at(offset) - line_at(last_end_);
    return gap > 0 ? gap - 1 : 0;
  }

  Comment take_comment() {
    const tokens::Comment& comment = comments_[comment_++];
    Comment out;
    out.text = text_.substr(comment.start, comment.end - comment.start);
    while (!out.text.empty() && (out.text.back() == ' ' || out.text.back() == '\t' || out.text.back() == '\f')) out.text.remove_suffix(1);
    out.blank_lines = blank_lines_before(comment.start);
    last_end_ = comment.end;
    return out;
  }

  // To the DEDENT that ends the block, which is taken, or the end of the file.
  void read_block(uint32_t index, uint32_t column) {
    while (kind() != TokenKind::Dedent && kind() != TokenKind::End) {
      if (kind() == TokenKind::Newline) {
        pos_++;
        continue;
      }
      Line line = read_line();
      out_.blocks[index].lines.push_back(std::move(line));
    }
    // A comment between the last line and what follows belongs to the deepest block that reaches its column.
    bool is_file = kind() == TokenKind::End && index == out_.root;
    uint32_t next = tokens_[pos_].start;
    while (has_comment_before(next) || (is_file && comment_ < comments_.size())) {
      if (!is_file && column_of(comments_[comment_].start) < column) break;
      out_.blocks[index].comments.push_back(take_comment());
    }
    if (kind() == TokenKind::Dedent) pos_++;
  }

  Line read_line() {
    Line line;
    while (has_comment_before(tokens_[pos_].start)) line.comments.push_back(take_comment());
    line.blank_lines = blank_lines_before(tokens_[pos_].start);
    read_nodes(line.nodes, UINT32_MAX);
    if (!line.nodes.empty()) drop_last_semicolon(line);
    if (kind() == TokenKind::Newline) {
      if (roles_.roles[pos_] == TokenRole::MissingColon) add_colon(line.nodes);
      pos_++;
    }
    if (kind() == TokenKind::Indent) line.body = read_body();
    return line;
  }

  uint32_t read_body() {
    pos_++;
    uint32_t body = add_block();
    read_block(body, column_of(tokens_[pos_].start));
    return body;
  }

  void drop_last_semicolon(Line& line) {
    Node last = line.nodes.back();
    if (last.kind != NodeKind::Piece || out_.pieces[last.index].kind != TokenKind::Semicolon) return;
    std::string_view comment = out_.pieces[last.index].trailing;
    line.nodes.pop_back();
    Node before = line.nodes.back();
    if (before.kind == NodeKind::Block) return;
    out_.pieces[before.kind == NodeKind::Piece ? before.index : out_.groups[before.index].close].trailing = comment;
  }

  void add_colon(std::vector<Node>& nodes) {
    Piece colon;
    colon.text = ":";
    colon.width = 1;
    colon.kind = TokenKind::Colon;
    colon.role = TokenRole::BlockColon;
    std::swap(colon.trailing, out_.pieces.back().trailing);
    nodes.push_back({NodeKind::Piece, add_piece(std::move(colon))});
  }

  uint32_t add_piece(Piece piece) {
    out_.pieces.push_back(std::move(piece));
    return uint32_t(out_.pieces.size() - 1);
  }

  // Everything up to a NEWLINE, or up to token `end`.
  void read_nodes(std::vector<Node>& nodes, uint32_t end) {
    while (pos_ < end && !at_line_end()) read_node(nodes);
  }

  bool at_line_end() const {
    return kind() == TokenKind::Newline || kind() == TokenKind::Indent || kind() == TokenKind::Dedent || kind() == TokenKind::End;
  }

  void read_node(std::vector<Node>& nodes) {
    if (kind() == TokenKind::LeftParen || kind() == TokenKind::LeftBracket || kind() == TokenKind::LeftBrace) {
      nodes.push_back({NodeKind::Group, read_group()});
    } else {
      read_piece(nodes);
    }
  }

  void read_piece(std::vector<Node>& nodes) {
    uint32_t first = pos_;
    const Token& token = tokens_[pos_];
    uint32_t end = token.end;
    if (token.kind == TokenKind::FStringStart) {
      uint32_t depth = 0;
      do {
        depth += kind() == TokenKind::FStringStart;
        depth -= kind() == TokenKind::FStringEnd;
        end = tokens_[pos_].end;
        pos_++;
      } while (depth > 0);
    } else {
      pos_++;
    }
    TokenRole role = roles_.roles[first];
    bool is_split = role == TokenRole::TypeBracket && (token.kind == TokenKind::GreaterEq || token.kind == TokenKind::ShrEq);
    if (is_split) {   // `list<int>=[]`
      uint32_t bracket = take_piece(first, token.start, token.end - 1);
      out_.pieces[bracket].kind = token.kind == TokenKind::GreaterEq ? TokenKind::Greater : TokenKind::Shr;
      nodes.push_back({NodeKind::Piece, bracket});
      uint32_t eq = take_piece(first, token.end - 1, token.end);
      out_.pieces[eq].kind = TokenKind::Eq, out_.pieces[eq].role = TokenRole::None;
      out_.pieces[eq].space = true;
      nodes.push_back({NodeKind::Piece, eq});
      return;
    }
    uint32_t piece = take_piece(first, token.start, end);
    if (token.kind == TokenKind::FStringStart) out_.pieces[piece].kind = TokenKind::Str;
    nodes.push_back({NodeKind::Piece, piece});
  }

  // The piece of token `first`, with the comments above and behind it.
  uint32_t take_piece(uint32_t first, uint32_t start, uint32_t end) {
    Piece piece;
    while (has_comment_before(start)) piece.leading.push_back(take_comment());
    piece.blank_before = blank_lines_before(start) > 0;
    piece.continues = last_end_ != 0 && line_at(start) != line_at(last_end_);
    piece.text = text_.substr(start, end - start);
    piece.width = width_of(piece.text.substr(0, piece.text.find('\n')));
    piece.kind = tokens_[first].kind;
    piece.role = roles_.roles[first];
    piece.space = spacing_.space_before(first);
    piece.is_operand = spacing_.ends_operand(first);
    last_end_ = end;
    while (has_comment_before(end)) comment_++;   // inside an f-string
    bool has_trailing = comment_ < comments_.size() && !comments_[comment_].own_line && is_next_after(end, comments_[comment_].start);
    if (has_trailing) piece.trailing = take_comment().text;
    return add_piece(std::move(piece));
  }

  // Only spaces lie between the token that ends at `end` and `start`.
  bool is_next_after(uint32_t end, uint32_t start) const {
    return text_.substr(end, start - end).find_first_not_of(" \t\f") == std::string_view::npos;
  }

  uint32_t read_group() {
    uint32_t open = pos_;
    uint32_t closer = tokens_[open].literal;
    Group group;
    bool is_display = open == 0 || !spacing_.ends_operand(open - 1);
    bool is_call = !is_display || (open > 0 && (tokens_[open - 1].kind == TokenKind::Def || tokens_[open - 1].kind == TokenKind::Import));
    group.open = take_piece(open, tokens_[open].start, tokens_[open].end);
    pos_++;
    bool opens_line = pos_ < closer && line_at(tokens_[open].start) != line_at(tokens_[pos_].start);
    while (pos_ < closer) read_element(group, closer);
    group.close = take_piece(closer, tokens_[closer].start, tokens_[closer].end);
    pos_ = closer + 1;

    bool has_comma = group.elements.size() > 1 || (!group.elements.empty() && group.elements[0].comma != NONE);
    bool is_comprehension = !group.elements.empty() && group.elements[0].is_comprehension;
    switch (tokens_[open].kind) {
      case TokenKind::LeftParen: group.may_end_in_comma = is_call || group.elements.size() > 1; break;
      case TokenKind::LeftBracket: group.may_end_in_comma = is_display; break;
      default: group.may_end_in_comma = true; break;
    }
    if (is_comprehension) group.may_end_in_comma = false;
    measure(group);
    bool has_last_comma = has_comma && group.elements.back().comma != NONE;
    if (has_last_comma && group.may_end_in_comma && opens_line) group.is_forced = true;
    bool is_single_token = group.elements.size() == 1 && group.elements[0].nodes.size() == 1 && group.elements[0].nodes[0].kind == NodeKind::Piece;
    group.is_fixed = !group.is_forced && (group.elements.empty() || group.width <= FIXED_WIDTH + 2 || (!is_call && !is_display && is_single_token));
    // `a * (b + c)`: the operand of an operator keeps together.
    bool is_operand = tokens_[open].kind == TokenKind::LeftParen && is_display && !is_call && !has_comma && open > 0 && binds(tokens_[open - 1].kind);
    if (is_operand && group.width <= OPERAND_WIDTH) group.is_fixed = !group.is_forced;
    group.is_filled = is_display && !is_call && group.elements.size() >= MIN_FILLED && are_small_literals(group);
    out_.groups.push_back(std::move(group));
    return uint32_t(out_.groups.size() - 1);
  }

  bool are_small_literals(const Group& group) const {
    for (const Element& element : group.elements) {
      if (element.width > SMALL_LITERAL || element.nodes.size() > 2) return false;
      for (Node node : element.nodes) {
        if (node.kind != NodeKind::Piece) return false;
        const Piece& piece = out_.pieces[node.index];
        if (!is_literal(piece.kind) && piece.role != TokenRole::Prefix) return false;
        if (!piece.leading.empty() || !piece.trailing.empty()) return false;
      }
      if (element.comma != NONE && (!out_.pieces[element.comma].trailing.empty() || !out_.pieces[element.comma].leading.empty())) return false;
    }
    const Piece& close = out_.pieces[group.close];
    return out_.pieces[group.open].trailing.empty() && close.leading.empty();
  }

  // Up to the comma after it, which is taken, or the closing bracket.
  void read_element(Group& group, uint32_t closer) {
    Element element;
    int angles = 0;
    while (pos_ < closer) {
      TokenRole role = roles_.roles[pos_];
      if (role == TokenRole::TypeBracket) {
        switch (kind()) {
          case TokenKind::Less: angles++; break;
          case TokenKind::Shr: case TokenKind::ShrEq: angles -= 2; break;
          default: angles--; break;
        }
      }
      if (kind() == TokenKind::Comma && angles <= 0) {
        element.comma = take_piece(pos_, tokens_[pos_].start, tokens_[pos_].end);
        pos_++;
        break;
      }
      element.is_comprehension |= kind() == TokenKind::For;
      if (kind() == TokenKind::Newline) {   // the block of an anonymous `def`
        if (role == TokenRole::MissingColon) add_colon(element.nodes);
        pos_++;
      } else if (kind() == TokenKind::Indent) {
        element.nodes.push_back({NodeKind::Block, read_body()});
      } else if (kind() == TokenKind::Dedent) {
        pos_++;
      } else {
        read_node(element.nodes);
      }
    }
    element.ends_in_block = !element.nodes.empty() && element.nodes.back().kind == NodeKind::Block;
    group.elements.push_back(std::move(element));
  }

  void measure(Group& group) {
    auto has_comments = [this](uint32_t piece) { return !out_.pieces[piece].leading.empty() || !out_.pieces[piece].trailing.empty(); };
    // What stands above the opening bracket or behind the closing one is not in the group.
    group.is_forced |= !out_.pieces[group.open].trailing.empty() || !out_.pieces[group.close].leading.empty();
    group.width = 2;
    for (size_t i = 0; i < group.elements.size(); i++) {
      Element& element = group.elements[i];
      for (Node node : element.nodes) {
        switch (node.kind) {
          case NodeKind::Piece:
            element.width += out_.pieces[node.index].width + (element.width > 0 && out_.pieces[node.index].space);
            group.is_forced |= has_comments(node.index);
            break;
          case NodeKind::Group: {
            const Group& inner = out_.groups[node.index];
            element.width += inner.width + (element.width > 0 && out_.pieces[inner.open].space);
            group.is_forced |= inner.is_forced || !out_.pieces[inner.open].leading.empty() || !out_.pieces[inner.close].trailing.empty();
            break;
          }
          case NodeKind::Block: group.is_forced = true; break;
        }
      }
      group.width += element.width + (i > 0 ? 2 : 0);
      if (element.comma != NONE) group.is_forced |= has_comments(element.comma);
    }
    bool keeps_comma = !group.elements.empty() && group.elements.back().comma != NONE && !group.may_end_in_comma;
    group.width += keeps_comma;
  }

  std::string_view text_;
  const ast::TokenRoles& roles_;
  const std::vector<Token>& tokens_;
  const std::vector<tokens::Comment>& comments_;
  source::FileId file_;
  const source::Sources& sources_;
  Spacing spacing_;
  SourceLines out_;
  uint32_t pos_ = 0;
  uint32_t comment_ = 0;
  uint32_t last_end_ = 0;    // of the last token or comment read
};

}  // namespace

SourceLines read_lines(std::string_view text, const ast::TokenRoles& roles, source::FileId file, const source::Sources& sources) {
  return Reader(text, roles, file, sources).run();
}

uint32_t width_of(std::string_view text) {
  return uint32_t(std::count_if(text.begin(), text.end(), [](char c) { return (uint8_t(c) & 0xC0) != 0x80; }));
}

}  // namespace meteor::format
