// Chooses where lines break. A statement that fits stays on one line. Else its
// inline body or its `;`s go to lines of their own, then brackets are broken,
// the last one that suffices first: one element a line, and a long element before
// its loosest operators.
// Invariant: what decides is the same in a result of this printer as in its
// source: tokens, widths, comments, and whether a comma ends a broken bracket.
#include "compiler/format/print_lines.h"

#include <span>

#include "compiler/format/format.h"

namespace meteor::format {

using ast::TokenRole;
using tokens::TokenKind;

namespace {

using Nodes = std::span<const Node>;

// Operators before which a long element may break, loosest first; 0 for none.
uint32_t looseness_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or: return 9;
    case TokenKind::And: return 8;
    case TokenKind::EqEq: case TokenKind::NotEq: case TokenKind::Less: case TokenKind::LessEq: case TokenKind::Greater: case TokenKind::GreaterEq:
    case TokenKind::In: case TokenKind::Not: case TokenKind::Is: return 7;
    case TokenKind::QuestionQuestion: return 6;
    case TokenKind::Pipe: return 5;
    case TokenKind::Caret: return 4;
    case TokenKind::Amp: return 3;
    case TokenKind::Plus: case TokenKind::Minus: case TokenKind::AmpPlus: case TokenKind::AmpMinus: return 2;
    case TokenKind::Star: case TokenKind::Slash: case TokenKind::SlashSlash: case TokenKind::Percent: case TokenKind::AmpStar: return 1;
    default: return 0;
  }
}

bool begins_clause(TokenKind kind) {
  return kind == TokenKind::Else || kind == TokenKind::Elif || kind == TokenKind::Catch || kind == TokenKind::Finally;
}

class Printer {
 public:
  explicit Printer(const SourceLines& in) : in_(in) {}

  std::string run() {
    print_block(in_.blocks[in_.root], 0);
    end_line(0);
    return std::move(out_);
  }

 private:
  const Piece& piece(uint32_t index) const { return in_.pieces[index]; }
  const Group& group(Node node) const { return in_.groups[node.index]; }
  bool is_piece(Node node, TokenKind kind) const { return node.kind == NodeKind::Piece && piece(node.index).kind == kind; }
  const Piece& first_piece(Node node) const { return piece(node.kind == NodeKind::Piece ? node.index : group(node).open); }

  // ---- Text

  void write(std::string_view text) {
    if (at_start_) {
      out_.append(indent_, ' ');
      column_ = indent_;
      at_start_ = false;
    }
    out_ += text;
    size_t line = text.rfind('\n');
    column_ = line == std::string_view::npos ? column_ + width_of(text) : width_of(text.substr(line + 1));
  }

  // Goes to a new line unless at one; the comments that wait go before it.
  void end_line(uint32_t indent) {
    if (!at_start_) {
      std::vector<std::string_view> waiting;
      waiting.swap(waiting_);
      for (size_t i = 0; i < waiting.size(); i++) {
        if (i == 0) out_ += "  ";
        else (out_ += '\n').append(comment_indent_, ' ');
        out_ += waiting[i];
      }
      out_ += '\n';
      at_start_ = true;
    }
    indent_ = indent;
    column_ = indent;
  }

  void write_blank_lines(uint32_t count) {
    if (!out_.empty()) out_.append(count, '\n');
  }

  void write_comments(const std::vector<Comment>& comments, uint32_t indent, uint32_t most_blank, bool is_first) {
    for (const Comment& comment : comments) {
      end_line(indent);
      if (!is_first) write_blank_lines(std::min(comment.blank_lines, most_blank));
      is_first = false;
      write(comment.text);
      end_line(indent);
    }
  }

  void write_piece(const Piece& p) {
    if (!p.leading.empty()) {
      uint32_t indent = at_start_ ? indent_ : comment_indent_;
      write_comments(p.leading, indent, 1, true);
    }
    if (!waiting_.empty() && p.kind != TokenKind::Comma && p.kind != TokenKind::Colon) end_line(comment_indent_);
    write_text(p);
  }

  void write_text(const Piece& p) {
    if (!at_start_ && p.space) write(" ");
    write(p.text);
    if (!p.trailing.empty()) waiting_.push_back(p.trailing);
  }

  // ---- Blocks and lines

  void print_block(const Block& block, uint32_t indent) {
    uint32_t most_blank = indent == 0 ? 2 : 1;
    bool is_first = true;
    bool after_decorator = false;
    for (const Line& line : block.lines) {
      if (line.nodes.empty()) continue;
      bool is_clause = begins_clause(first_piece(line.nodes[0]).kind);
      uint32_t allowed = after_decorator || is_clause ? 0 : most_blank;
      write_comments(line.comments, indent, allowed, is_first);
      end_line(indent);
      if (!is_first || !line.comments.empty()) write_blank_lines(std::min(line.blank_lines, after_decorator || (is_clause && line.comments.empty()) ? 0 : most_blank));
      is_first = false;
      comment_indent_ = indent;
      uint32_t last_indent = print_statements(line.nodes, indent);
      if (line.body != NONE) {
        end_line(last_indent + INDENT_WIDTH);
        print_block(in_.blocks[line.body], last_indent + INDENT_WIDTH);
      }
      end_line(indent);
      after_decorator = is_lone_decorator(line);
    }
    write_comments(block.comments, indent, most_blank, is_first);
  }

  bool is_lone_decorator(const Line& line) const {
    if (!is_piece(line.nodes[0], TokenKind::At) || line.body != NONE) return false;
    for (Node node : line.nodes) {
      if (node.kind != NodeKind::Piece) continue;
      switch (piece(node.index).kind) {
        case TokenKind::Def: case TokenKind::Class: case TokenKind::Struct: case TokenKind::Enum: case TokenKind::Trait: case TokenKind::Const: return false;
        default: break;
      }
    }
    return true;
  }

  // One line of the source. Returns the indentation of the last statement on it, to which a block below belongs.
  uint32_t print_statements(Nodes nodes, uint32_t indent) {
    if (!is_forced(nodes) && indent + width(nodes) <= LINE_WIDTH) {
      print_flat(nodes);
      return indent;
    }
    for (size_t i = 0; i + 1 < nodes.size(); i++) {
      if (nodes[i].kind != NodeKind::Piece || piece(nodes[i].index).role != TokenRole::BlockColon) continue;
      print_sequence(nodes.first(i + 1), indent, 0, true);
      end_line(indent + INDENT_WIDTH);
      return print_statements(nodes.subspan(i + 1), indent + INDENT_WIDTH);
    }
    size_t start = 0;
    for (size_t i = 0; i <= nodes.size(); i++) {
      if (i < nodes.size() && !is_piece(nodes[i], TokenKind::Semicolon)) continue;
      if (start > 0) end_line(indent);
      print_sequence(nodes.subspan(start, i - start), indent, 0, true);
      start = i + 1;
    }
    return indent;
  }

  // ---- Sequences

  bool is_forced(Nodes nodes) const {
    for (Node node : nodes) {
      if (node.kind == NodeKind::Block || (node.kind == NodeKind::Group && group(node).is_forced)) return true;
    }
    return false;
  }

  uint32_t node_width(Node node) const {
    switch (node.kind) {
      case NodeKind::Piece: return piece(node.index).width;
      case NodeKind::Group: return group(node).width;
      case NodeKind::Block: return 0;
    }
    return 0;
  }

  uint32_t width(Nodes nodes) const {
    uint32_t sum = 0;
    for (size_t i = 0; i < nodes.size(); i++) sum += node_width(nodes[i]) + (i > 0 && nodes[i].kind != NodeKind::Block && first_piece(nodes[i]).space);
    return sum;
  }

  // What must stand on the line after a bracket that stays on it: up to the next one that may break.
  uint32_t rest_width(Nodes nodes, size_t from, uint32_t tail) const {
    uint32_t sum = 0;
    for (size_t i = from; i < nodes.size() && sum <= LINE_WIDTH; i++) {
      if (nodes[i].kind == NodeKind::Block) return sum;
      sum += first_piece(nodes[i]).space;
      if (nodes[i].kind == NodeKind::Group && !group(nodes[i]).is_fixed) return sum + 1;
      sum += node_width(nodes[i]);
    }
    return sum + tail;
  }

  void print_flat(Nodes nodes) {
    for (Node node : nodes) {
      if (node.kind == NodeKind::Piece) write_piece(piece(node.index));
      else print_flat(group(node));
    }
  }

  void print_flat(const Group& g) {
    write_piece(piece(g.open));
    print_flat_elements(g);
    write_piece(piece(g.close));
  }

  void print_flat_elements(const Group& g) {
    for (size_t i = 0; i < g.elements.size(); i++) {
      print_flat(g.elements[i].nodes);
      bool is_last = i + 1 == g.elements.size();
      if (g.elements[i].comma != NONE && !(is_last && g.may_end_in_comma)) write_piece(piece(g.elements[i].comma));
    }
  }

  // `indent` is that of the line this begins on, `tail` what follows it on its last line.
  void print_sequence(Nodes nodes, uint32_t indent, uint32_t tail, bool is_statement) {
    bool is_long = is_statement && indent + width(nodes) > LINE_WIDTH;
    bool has_block = is_piece_role(nodes, TokenRole::BlockColon);
    for (size_t i = 0; i < nodes.size(); i++) {
      Node node = nodes[i];
      if (node.kind == NodeKind::Block) {
        end_line(indent + INDENT_WIDTH);
        print_block(in_.blocks[node.index], indent + INDENT_WIDTH);
        end_line(indent);
        continue;
      }
      if (is_long && i > 0 && first_piece(node).continues) {
        write(" \\");
        end_line(indent + (has_block ? 2 : 1) * INDENT_WIDTH);
      }
      if (node.kind == NodeKind::Piece) {
        write_piece(piece(node.index));
        continue;
      }
      const Group& g = group(node);
      uint32_t end = column_ + g.width + piece(g.open).space;
      uint32_t rest = rest_width(nodes, i + 1, tail);
      bool is_too_long = end > LINE_WIDTH || (end + rest > LINE_WIDTH && indent + 1 + rest <= LINE_WIDTH);
      if (g.is_forced || (is_too_long && !g.is_fixed)) print_broken(g, indent);
      else print_flat(g);
    }
  }

  bool is_piece_role(Nodes nodes, TokenRole role) const {
    for (Node node : nodes) {
      if (node.kind == NodeKind::Piece && piece(node.index).role == role) return true;
    }
    return false;
  }

  // ---- Brackets

  void print_broken(const Group& g, uint32_t indent) {
    uint32_t outer_comments = comment_indent_;
    comment_indent_ = indent + INDENT_WIDTH;
    if (const Group* inner = find_sole_bracket(g)) {
      write_piece(piece(g.open));
      print_broken(*inner, indent);
      write_piece(piece(g.close));
    } else if (ends_in_only_block(g)) {
      write_piece(piece(g.open));
      for (size_t i = 0; i < g.elements.size(); i++) {
        print_sequence(g.elements[i].nodes, indent, 1, false);
        if (g.elements[i].comma != NONE) write_piece(piece(g.elements[i].comma));
      }
      write_piece(piece(g.close));
    } else {
      write_piece(piece(g.open));
      if (g.is_filled) print_filled(g, indent + INDENT_WIDTH);
      else if (!g.is_forced && indent + INDENT_WIDTH + g.width - 2 <= LINE_WIDTH) print_together(g, indent + INDENT_WIDTH);
      else print_elements(g, indent + INDENT_WIDTH);
      write_comments(piece(g.close).leading, indent + INDENT_WIDTH, 1, g.elements.empty());
      end_line(indent);
      write_text(piece(g.close));
    }
    comment_indent_ = outer_comments;
  }

  // `f([` … `])`: the only element is a bracket itself.
  const Group* find_sole_bracket(const Group& g) const {
    if (g.elements.size() != 1 || g.elements[0].nodes.size() != 1 || g.elements[0].nodes[0].kind != NodeKind::Group) return nullptr;
    const Group& inner = group(g.elements[0].nodes[0]);
    if (inner.elements.empty()) return nullptr;
    bool has_comments = !piece(g.open).trailing.empty() || !piece(inner.open).leading.empty() || !piece(inner.close).trailing.empty() || !piece(g.close).leading.empty();
    if (g.elements[0].comma != NONE) {
      const Piece& comma = piece(g.elements[0].comma);
      has_comments |= !comma.leading.empty() || !comma.trailing.empty();
      if (!g.may_end_in_comma) return nullptr;
    }
    return has_comments ? nullptr : &inner;
  }

  // `f(a, def (x: int):` with the block below.
  bool ends_in_only_block(const Group& g) const {
    if (g.elements.empty() || !g.elements.back().ends_in_block || g.elements.back().comma != NONE) return false;
    if (!piece(g.open).trailing.empty() || !piece(g.close).leading.empty()) return false;
    for (size_t i = 0; i < g.elements.size(); i++) {
      const Element& element = g.elements[i];
      bool is_last = i + 1 == g.elements.size();
      for (size_t n = 0; n < element.nodes.size(); n++) {
        Node node = element.nodes[n];
        if (node.kind == NodeKind::Block) {
          if (!is_last || n + 1 < element.nodes.size()) return false;
          continue;
        }
        if (node.kind == NodeKind::Group && (group(node).is_forced || !piece(group(node).close).trailing.empty())) return false;
        const Piece& first = first_piece(node);
        bool is_colon = first.role == TokenRole::BlockColon && node.kind == NodeKind::Piece;
        if (!first.leading.empty() || (node.kind == NodeKind::Piece && !first.trailing.empty() && !is_colon)) return false;
      }
      if (element.comma != NONE && (!piece(element.comma).trailing.empty() || !piece(element.comma).leading.empty())) return false;
    }
    return true;
  }

  // All on one line of their own.
  void print_together(const Group& g, uint32_t indent) {
    end_line(indent);
    print_flat_elements(g);
  }

  void print_filled(const Group& g, uint32_t indent) {
    end_line(indent);
    for (size_t i = 0; i < g.elements.size(); i++) {
      const Element& element = g.elements[i];
      if (i > 0 && column_ + 1 + element.width + 1 > LINE_WIDTH) end_line(indent);
      print_flat(element.nodes);
      write(i + 1 < g.elements.size() || g.may_end_in_comma ? "," : "");
    }
  }

  void print_elements(const Group& g, uint32_t indent) {
    bool after_block = false;
    for (size_t i = 0; i < g.elements.size(); i++) {
      const Element& element = g.elements[i];
      bool is_last = i + 1 == g.elements.size();
      const Piece& first = first_piece(element.nodes[0]);
      bool stays = after_block && first.leading.empty() && waiting_.empty();   // after the comma that follows a block
      if (!stays) {
        end_line(indent);
        bool has_blank = first.leading.empty() ? first.blank_before : first.leading[0].blank_lines > 0;
        if (has_blank && i > 0) write_blank_lines(1);
      }
      print_element(element, indent, g.elements.size() == 1);
      if (element.comma != NONE) write_piece(piece(element.comma));
      else if (is_last && g.may_end_in_comma && !element.is_comprehension && !element.ends_in_block) write(",");
      after_block = element.ends_in_block;
    }
  }

  void print_element(const Element& element, uint32_t indent, bool is_sole) {
    const std::vector<Node>& nodes = element.nodes;
    bool is_long = column_ + element.width + 1 > LINE_WIDTH;
    std::vector<size_t> breaks;
    if (is_long) breaks = find_breaks(nodes);
    uint32_t more = is_sole ? indent : indent + INDENT_WIDTH;
    size_t start = 0;
    for (size_t i = 0; i <= breaks.size(); i++) {
      size_t end = i < breaks.size() ? breaks[i] : nodes.size();
      if (i > 0) end_line(more);
      print_sequence(Nodes(nodes).subspan(start, end - start), i > 0 ? more : indent, i == breaks.size() ? 1 : 0, false);
      start = end;
    }
  }

  // Before which nodes a long element goes to the next line.
  std::vector<size_t> find_breaks(const std::vector<Node>& nodes) const {
    std::vector<size_t> clauses, choices, operators, strings;
    uint32_t loosest = 0;
    bool is_comprehension = false;
    for (size_t i = 1; i < nodes.size(); i++) {
      if (nodes[i].kind != NodeKind::Piece) continue;
      const Piece& p = piece(nodes[i].index);
      if (p.role == TokenRole::BlockColon) return {};   // an anonymous `def`
      if (p.role != TokenRole::None) continue;
      if (p.kind == TokenKind::For) {
        is_comprehension = true;
        clauses.push_back(is_piece(nodes[i - 1], TokenKind::Async) ? i - 1 : i);
      } else if (p.kind == TokenKind::If && is_comprehension) {
        clauses.push_back(i);
      } else if (p.kind == TokenKind::If || p.kind == TokenKind::Else) {
        choices.push_back(i);
      } else if (p.kind == TokenKind::Str && is_piece(nodes[i - 1], TokenKind::Str)) {
        strings.push_back(i);
      } else if (uint32_t looseness = looseness_of(p.kind); looseness > 0 && is_binary(nodes, i)) {
        if (looseness > loosest) operators.clear(), loosest = looseness;
        if (looseness == loosest) operators.push_back(i);
      }
    }
    if (is_comprehension) return clauses;
    if (!choices.empty()) return choices;
    return operators.empty() ? strings : operators;
  }

  bool is_binary(const std::vector<Node>& nodes, size_t i) const {
    Node before = nodes[i - 1];
    bool has_left = before.kind == NodeKind::Group || (before.kind == NodeKind::Piece && piece(before.index).is_operand);
    if (!has_left) return false;
    return !is_piece(nodes[i], TokenKind::Not) || (i + 1 < nodes.size() && is_piece(nodes[i + 1], TokenKind::In));
  }

  const SourceLines& in_;
  std::string out_;
  std::vector<std::string_view> waiting_;        // comments for the end of the line
  uint32_t indent_ = 0;
  uint32_t column_ = 0;
  uint32_t comment_indent_ = 0;
  bool at_start_ = true;
};

}  // namespace

std::string print_lines(const SourceLines& lines) { return Printer(lines).run(); }

}  // namespace meteor::format
