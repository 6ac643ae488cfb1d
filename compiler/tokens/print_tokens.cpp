// Tokens as text.
#include "compiler/tokens/print_tokens.h"

#include <charconv>

namespace meteor::tokens {

namespace {

void put_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '"' || c == '\\') (out += '\\') += c;
    else out += c;
  }
  out += '"';
}

void put_token(std::string& out, const Token& token, const TokenList& list) {
  switch (token.kind) {
    case TokenKind::Indent: out += "INDENT"; return;
    case TokenKind::Dedent: out += "DEDENT"; return;
    case TokenKind::End: out += "END"; return;
    case TokenKind::Invalid: out += "INVALID"; return;
    case TokenKind::Ident: out += token.name.text(); return;
    case TokenKind::Int: out += list.literals[token.literal].too_big ? "too-big" : std::to_string(list.literals[token.literal].integer); return;
    case TokenKind::Duration: (out += std::to_string(list.literals[token.literal].integer)) += "ns"; return;
    case TokenKind::Float: {
      char text[40];
      auto end = std::to_chars(text, text + sizeof text, list.literals[token.literal].real);
      (out += "float:").append(text, size_t(end.ptr - text));
      return;
    }
    case TokenKind::Bytes: out += 'b'; [[fallthrough]];
    case TokenKind::Str: put_quoted(out, list.literals[token.literal].text); return;
    case TokenKind::FStringText: put_quoted(out, list.literals[token.literal].text); return;
    case TokenKind::FStringStart: out += "f\""; return;
    case TokenKind::FStringOpen: out += "{{"; return;
    case TokenKind::FStringConversion: (out += '!') += list.literals[token.literal].text; return;
    case TokenKind::FStringColon: out += "::"; return;
    case TokenKind::FStringClose: out += "}}"; return;
    case TokenKind::FStringEnd: out += "\"f"; return;
    default: out += spelling_of(token.kind); return;
  }
}

}  // namespace

std::string print(const TokenList& list, source::FileId file, const source::Sources& sources) {
  std::string out;
  for (const Token& token : list.tokens) {
    if (token.kind == TokenKind::Newline) {
      out += '\n';
      continue;
    }
    if (!out.empty() && out.back() != '\n') out += ' ';
    put_token(out, token, list);
  }
  out += '\n';
  for (const Comment& comment : list.comments) {
    (out += comment.own_line ? "own-line " : "trailing ") += sources.text({file, comment.start, comment.end});
    out += '\n';
  }
  return out;
}

}  // namespace meteor::tokens
