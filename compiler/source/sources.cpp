// Line tables. A position costs a binary search over the lines and, where the
// file is not plain ASCII, a count over at most COUNT_STEP bytes, so one line of
// ten megabytes is as cheap to point into as any other.
#include "compiler/source/sources.h"

#include <algorithm>

#include "compiler/base/check.h"

namespace meteor::source {

namespace {

constexpr uint32_t COUNT_STEP = 1024;
constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

uint32_t count_scalars(std::string_view text) {
  uint32_t count = 0;
  for (char c : text) count += (uint8_t(c) & 0xC0) != 0x80;
  return count;
}

bool is_ascii(std::string_view text) {
  uint8_t all = 0;
  for (char c : text) all |= uint8_t(c);
  return all < 0x80;
}

}  // namespace

FileId Sources::add(std::string path, std::string text) {
  auto file = std::make_unique<File>();
  file->path = std::move(path);
  file->text = std::move(text);
  CHECK(file->text.size() < UINT32_MAX);
  const std::string& bytes = file->text;
  file->line_starts.reserve(bytes.size() / 24 + 1);
  file->line_starts.push_back(0);
  const char* data = bytes.data();
  for (size_t i = 0, n = bytes.size(); i < n; i++) {
    char c = data[i];
    if (c == '\n' || (c == '\r' && data[i + 1] != '\n')) file->line_starts.push_back(uint32_t(i + 1));
  }
  if (!is_ascii(bytes)) {
    uint32_t count = 0;
    for (size_t at = 0; at < bytes.size(); at += COUNT_STEP) {
      file->scalar_counts.push_back(count);
      count += count_scalars(std::string_view(bytes).substr(at, COUNT_STEP));
    }
  }
  files_.push_back(std::move(file));
  return FileId(uint32_t(files_.size() - 1));
}

const Sources::File& Sources::get_file(FileId file) const {
  CHECK(file.index < files_.size());
  return *files_[file.index];
}

std::string_view Sources::path(FileId file) const { return get_file(file).path; }
std::string_view Sources::text(FileId file) const { return get_file(file).text; }

std::string_view Sources::text(Span span) const {
  std::string_view all = text(span.file);
  uint32_t start = std::min<uint32_t>(span.start, uint32_t(all.size()));
  uint32_t end = std::clamp<uint32_t>(span.end, start, uint32_t(all.size()));
  return all.substr(start, end - start);
}

uint32_t Sources::scalars_before(const File& file, uint32_t offset) {
  if (file.scalar_counts.empty()) return offset;
  uint32_t step = std::min<uint32_t>(offset / COUNT_STEP, uint32_t(file.scalar_counts.size() - 1));
  uint32_t from = step * COUNT_STEP;
  return file.scalar_counts[step] + count_scalars(std::string_view(file.text).substr(from, offset - from));
}

LineColumn Sources::position(FileId id, uint32_t offset) const {
  const File& file = get_file(id);
  offset = std::min<uint32_t>(offset, uint32_t(file.text.size()));
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset);
  uint32_t line = uint32_t(after - file.line_starts.begin());
  uint32_t start = file.line_starts[line - 1];
  uint32_t column = scalars_before(file, offset) - scalars_before(file, start) + 1;
  if (line == 1 && column > 1 && file.text.starts_with(BYTE_ORDER_MARK)) column--;
  return {line, column};
}

uint32_t Sources::line_start(FileId id, uint32_t line) const {
  const File& file = get_file(id);
  CHECK(line >= 1 && line <= file.line_starts.size());
  if (line == 1 && file.text.starts_with(BYTE_ORDER_MARK)) return uint32_t(BYTE_ORDER_MARK.size());
  return file.line_starts[line - 1];
}

std::string_view Sources::line_text(FileId id, uint32_t line) const {
  const File& file = get_file(id);
  if (line < 1 || line > file.line_starts.size()) return {};
  uint32_t start = line_start(id, line);
  uint32_t end = line < file.line_starts.size() ? file.line_starts[line] : uint32_t(file.text.size());
  while (end > start && (file.text[end - 1] == '\n' || file.text[end - 1] == '\r')) end--;
  return std::string_view(file.text).substr(start, end - start);
}

uint32_t Sources::line_count(FileId file) const { return uint32_t(get_file(file).line_starts.size()); }

}  // namespace meteor::source
