#include "runtime/inspect/line_tables.h"

#include <string.h>

namespace meteor::async {

namespace {

// The numbers of the standard that the compiler's tables use.
enum Tag : uint64_t { SUBPROGRAM = 0x2e, INLINED = 0x1d };
enum Attribute : uint64_t {
  NAME = 0x03,
  STATEMENT_LIST = 0x10,
  LOW = 0x11,
  HIGH = 0x12,
  ORIGIN = 0x31,
  SPECIFICATION = 0x47,
  RANGES = 0x55,
  CALL_FILE = 0x58,
  CALL_LINE = 0x59
};
enum Form : uint64_t {
  ADDRESS = 0x01,
  BLOCK2 = 0x03,
  BLOCK4 = 0x04,
  DATA2 = 0x05,
  DATA4 = 0x06,
  DATA8 = 0x07,
  STRING = 0x08,
  BLOCK = 0x09,
  BLOCK1 = 0x0a,
  DATA1 = 0x0b,
  FLAG = 0x0c,
  SIGNED = 0x0d,
  TEXT = 0x0e,
  UNSIGNED = 0x0f,
  REF1 = 0x11,
  REF2 = 0x12,
  REF4 = 0x13,
  REF8 = 0x14,
  REF_UNSIGNED = 0x15,
  OFFSET = 0x17,
  EXPRESSION = 0x18,
  PRESENT = 0x19
};
enum LineOpcode : uint8_t {
  EXTENDED = 0,
  COPY,
  ADVANCE_ADDRESS,
  ADVANCE_LINE,
  SET_FILE,
  SET_COLUMN,
  NEGATE_STATEMENT,
  BASIC_BLOCK,
  ADD_CONSTANT,
  FIXED_ADVANCE
};
enum ExtendedOpcode : uint8_t { END_SEQUENCE = 1, SET_ADDRESS = 2 };

constexpr uint16_t VERSION = 4;
constexpr int DEEPEST = 32;  // inlined calls in one another; those further in are left out

// Past the end everything reads as zero.
class Reader {
 public:
  Reader(const Section& section, uint64_t offset)
      : at_(section.data + (offset < section.size ? offset : section.size)), end_(section.data + section.size) {}

  bool is_over() const { return at_ >= end_; }
  const uint8_t* position() const { return at_; }
  void end_at(const uint8_t* end) {
    if (end < end_) end_ = end;
  }
  void skip(uint64_t bytes) { at_ = bytes < uint64_t(end_ - at_) ? at_ + bytes : end_; }

  template <typename T>
  T fixed() {
    T value = 0;
    if (uint64_t(end_ - at_) < sizeof(T))
      at_ = end_;
    else {
      memcpy(&value, at_, sizeof(T));
      at_ += sizeof(T);
    }
    return value;
  }

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ < end_; shift += 7) {
      uint8_t byte = *at_++;
      if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }

  int64_t signed_number() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (at_ < end_) {
      byte = *at_++;
      if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
      shift += 7;
      if (!(byte & 0x80)) break;
    }
    if (shift < 64 && (byte & 0x40)) value |= ~uint64_t(0) << shift;
    return int64_t(value);
  }

  const char* text() {
    const auto* text = reinterpret_cast<const char*>(at_);
    const void* zero = memchr(at_, 0, size_t(end_ - at_));
    if (zero == nullptr) {
      at_ = end_;
      return "";
    }
    at_ = static_cast<const uint8_t*>(zero) + 1;
    return text;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

struct Unit {
  uint64_t start = 0;  // in .debug_info
  uint64_t first_entry = 0;
  uint64_t end = 0;
  uint64_t abbreviations = 0;
};

struct Entry {
  uint64_t tag = 0;  // 0: the end of a list of children
  bool has_children = false;
  const char* name = nullptr;
  uint64_t origin = 0;  // in .debug_info: what was inlined, or is described elsewhere
  uint64_t low = 0, high = 0, ranges = 0, lines = 0;
  bool has_ranges = false, has_lines = false;
  uint32_t call_file = 0, call_line = 0;
};

class Lookup {
 public:
  Lookup(const LineTables& tables, uint64_t address) : tables_(tables), address_(address) {}

  int find(CodePlace* places, int room) {
    for (uint64_t at = 0; at < tables_.info.size;) {
      Unit unit;
      if (!read_unit(at, unit)) return 0;
      at = unit.end;
      if (unit.abbreviations == NONE) continue;
      Reader reader(tables_.info, unit.first_entry);
      Entry top = read_entry(reader, unit);
      base_ = top.low;
      if (!covers(top) || !top.has_lines) continue;
      find_chain(reader, unit, top.has_children);
      return tell(places, room, top.lines);
    }
    return 0;
  }

 private:
  static constexpr uint64_t NONE = UINT64_MAX;

  bool read_unit(uint64_t at, Unit& unit) const {
    Reader reader(tables_.info, at);
    uint32_t length = reader.fixed<uint32_t>();
    if (length == 0 || length >= 0xfffffff0) return false;
    unit.start = at;
    unit.end = at + 4 + length;
    bool is_known = reader.fixed<uint16_t>() == VERSION;
    unit.abbreviations = reader.fixed<uint32_t>();
    bool is_wide = reader.fixed<uint8_t>() == 8;
    if (!is_known || !is_wide) unit.abbreviations = NONE;  // of the runtime, or of a library in C
    unit.first_entry = uint64_t(reader.position() - tables_.info.data);
    return true;
  }

  // Where the attributes of the abbreviation begin; tag and children go into the entry.
  Reader find_abbreviation(const Unit& unit, uint64_t code, Entry& entry) const {
    Reader reader(tables_.abbreviations, unit.abbreviations);
    while (!reader.is_over()) {
      uint64_t found = reader.number();
      if (found == 0) break;
      uint64_t tag = reader.number();
      bool has_children = reader.fixed<uint8_t>() != 0;
      if (found == code) {
        entry.tag = tag;
        entry.has_children = has_children;
        return reader;
      }
      while (!reader.is_over()) {
        uint64_t attribute = reader.number(), form = reader.number();
        if (attribute == 0 && form == 0) break;
      }
    }
    return Reader(tables_.abbreviations, tables_.abbreviations.size);
  }

  Entry read_entry(Reader& reader, const Unit& unit) const {
    Entry entry;
    uint64_t code = reader.number();
    if (code == 0) return entry;
    Reader forms = find_abbreviation(unit, code, entry);
    bool high_is_size = false;
    while (!forms.is_over()) {
      uint64_t attribute = forms.number(), form = forms.number();
      if (attribute == 0 && form == 0) break;
      const char* text = nullptr;
      uint64_t value = read_value(reader, unit, form, text);
      switch (attribute) {
        case NAME: entry.name = text; break;
        case LOW: entry.low = value; break;
        case HIGH:
          entry.high = value;
          high_is_size = form != ADDRESS;
          break;
        case RANGES:
          entry.ranges = value;
          entry.has_ranges = true;
          break;
        case STATEMENT_LIST:
          entry.lines = value;
          entry.has_lines = true;
          break;
        case ORIGIN:
        case SPECIFICATION: entry.origin = value; break;
        case CALL_FILE: entry.call_file = uint32_t(value); break;
        case CALL_LINE: entry.call_line = uint32_t(value); break;
        default: break;
      }
    }
    if (high_is_size) entry.high += entry.low;
    return entry;
  }

  uint64_t read_value(Reader& reader, const Unit& unit, uint64_t form, const char*& text) const {
    switch (form) {
      case ADDRESS:
      case DATA8: return reader.fixed<uint64_t>();
      case DATA1:
      case FLAG: return reader.fixed<uint8_t>();
      case DATA2: return reader.fixed<uint16_t>();
      case DATA4:
      case OFFSET: return reader.fixed<uint32_t>();
      case UNSIGNED: return reader.number();
      case SIGNED: return uint64_t(reader.signed_number());
      case PRESENT: return 1;
      case STRING: text = reader.text(); return 0;
      case TEXT: text = Reader(tables_.texts, reader.fixed<uint32_t>()).text(); return 0;
      case REF1: return unit.start + reader.fixed<uint8_t>();
      case REF2: return unit.start + reader.fixed<uint16_t>();
      case REF4: return unit.start + reader.fixed<uint32_t>();
      case REF8: return unit.start + reader.fixed<uint64_t>();
      case REF_UNSIGNED: return unit.start + reader.number();
      case BLOCK1: reader.skip(reader.fixed<uint8_t>()); return 0;
      case BLOCK2: reader.skip(reader.fixed<uint16_t>()); return 0;
      case BLOCK4: reader.skip(reader.fixed<uint32_t>()); return 0;
      case BLOCK:
      case EXPRESSION: reader.skip(reader.number()); return 0;
      default: reader.skip(UINT64_MAX); return 0;  // nothing that the compiler writes: the unit ends here
    }
  }

  bool covers(const Entry& entry) const {
    if (!entry.has_ranges) return address_ >= entry.low && address_ < entry.high;
    Reader reader(tables_.ranges, entry.ranges);
    uint64_t base = base_;
    while (!reader.is_over()) {
      uint64_t low = reader.fixed<uint64_t>(), high = reader.fixed<uint64_t>();
      if (low == 0 && high == 0) return false;
      if (low == UINT64_MAX)
        base = high;
      else if (address_ >= base + low && address_ < base + high)
        return true;
    }
    return false;
  }

  // The function at the address, and the calls inlined around it there, outermost first.
  void find_chain(Reader& reader, const Unit& unit, bool has_children) {
    int depth = has_children ? 1 : 0, function_depth = 0;
    reader.end_at(tables_.info.data + unit.end);
    while (depth > 0 && !reader.is_over()) {
      Entry entry = read_entry(reader, unit);
      if (entry.tag == 0) {
        --depth;
        if (function_depth > 0 && depth <= function_depth) return;
        continue;
      }
      bool is_code = entry.tag == INLINED || entry.tag == SUBPROGRAM;
      if (is_code && covers(entry) && chain_size_ < DEEPEST) {
        if (function_depth == 0) function_depth = depth;
        if (entry.name == nullptr) entry.name = name_of(unit, entry.origin, 0);
        chain_[chain_size_++] = entry;
      }
      if (entry.has_children) ++depth;
    }
  }

  const char* name_of(const Unit& unit, uint64_t offset, int steps) const {
    if (offset == 0 || offset >= unit.end || offset < unit.start || steps > 4) return nullptr;
    Reader reader(tables_.info, offset);
    Entry entry = read_entry(reader, unit);
    return entry.name ? entry.name : name_of(unit, entry.origin, steps + 1);
  }

  struct LineHeader {
    Reader program, directories, files;
    uint8_t shortest = 1, line_range = 1, opcode_base = 10;
    int8_t line_base = 0;
    const uint8_t* lengths = nullptr;
  };

  bool read_line_header(uint64_t offset, LineHeader& header) const {
    Reader reader(tables_.lines, offset);
    uint32_t length = reader.fixed<uint32_t>();
    const uint8_t* end = reader.position() + length;
    if (length >= 0xfffffff0 || reader.fixed<uint16_t>() != VERSION) return false;
    reader.end_at(end);
    uint32_t header_length = reader.fixed<uint32_t>();
    header.program = reader;
    header.program.skip(header_length);
    header.shortest = reader.fixed<uint8_t>();
    reader.skip(2);  // most operations per instruction, is_stmt at first
    header.line_base = reader.fixed<int8_t>();
    header.line_range = reader.fixed<uint8_t>();
    header.opcode_base = reader.fixed<uint8_t>();
    header.lengths = reader.position();
    reader.skip(header.opcode_base - 1u);
    header.directories = reader;
    while (!reader.is_over() && *reader.text() != 0) {
    }
    header.files = reader;
    return header.line_range != 0 && header.opcode_base >= FIXED_ADVANCE + 1;
  }

  static void name_file(const LineHeader& header, uint32_t index, CodePlace& place) {
    Reader files = header.files;
    uint64_t directory = 0;
    for (uint32_t i = 0; i < index; ++i) {
      const char* name = files.text();
      if (*name == 0) return;
      directory = files.number();
      files.number();  // when it was changed, how long it is
      files.number();
      place.file = name;
    }
    place.directory = "";
    Reader directories = header.directories;
    for (uint64_t i = 0; i < directory; ++i) place.directory = directories.text();
  }

  struct Row {
    uint64_t address = 0;
    uint32_t file = 1;
    uint32_t line = 1;
  };

  // The row whose code holds the address.
  bool find_row(const LineHeader& header, Row& found) const {
    Reader reader = header.program;
    Row row, last;
    bool has_last = false;
    auto add_row = [&] {
      if (has_last && address_ >= last.address && address_ < row.address) {
        found = last;
        return true;
      }
      last = row;
      has_last = true;
      return false;
    };
    while (!reader.is_over()) {
      uint8_t opcode = reader.fixed<uint8_t>();
      if (opcode >= header.opcode_base) {
        unsigned step = opcode - header.opcode_base;
        row.address += uint64_t(step / header.line_range) * header.shortest;
        row.line += uint32_t(header.line_base + int(step % header.line_range));
        if (add_row()) return true;
        continue;
      }
      switch (opcode) {
        case EXTENDED: {
          uint64_t length = reader.number();
          const uint8_t* start = reader.position();
          uint8_t kind = reader.fixed<uint8_t>();
          if (kind == SET_ADDRESS) row.address = reader.fixed<uint64_t>();
          if (kind == END_SEQUENCE) {
            if (add_row()) return true;
            row = Row();
            has_last = false;
          }
          uint64_t read = uint64_t(reader.position() - start);
          if (read < length) reader.skip(length - read);
          break;
        }
        case COPY:
          if (add_row()) return true;
          break;
        case ADVANCE_ADDRESS: row.address += reader.number() * header.shortest; break;
        case ADVANCE_LINE: row.line += uint32_t(reader.signed_number()); break;
        case SET_FILE: row.file = uint32_t(reader.number()); break;
        case ADD_CONSTANT:
          row.address += uint64_t((255 - header.opcode_base) / header.line_range) * header.shortest;
          break;
        case FIXED_ADVANCE: row.address += reader.fixed<uint16_t>(); break;
        default:
          for (uint8_t i = 0; i < header.lengths[opcode - 1]; ++i) reader.number();
          break;
      }
    }
    return false;
  }

  // Each call inlined lies in the one before it, at the line that its own entry tells.
  int tell(CodePlace* places, int room, uint64_t lines) const {
    LineHeader header{Reader(tables_.lines, 0), Reader(tables_.lines, 0), Reader(tables_.lines, 0)};
    Row row;
    if (!read_line_header(lines, header) || !find_row(header, row)) return 0;
    int count = 0;
    auto add = [&](const char* function) {
      CodePlace& place = places[count++];
      place = CodePlace();
      place.function = function;
      place.line = row.line;
      name_file(header, row.file, place);
    };
    for (int i = chain_size_; i-- > 0 && count < room;) {
      add(chain_[i].name);
      row.file = chain_[i].call_file;
      row.line = chain_[i].call_line;
    }
    if (chain_size_ == 0 && room > 0) add(nullptr);
    return count;
  }

  const LineTables& tables_;
  uint64_t address_;
  uint64_t base_ = 0;
  Entry chain_[DEEPEST];
  int chain_size_ = 0;
};

}  // namespace

int find_places(const LineTables& tables, uint64_t address, CodePlace* places, int room) {
  return Lookup(tables, address).find(places, room);
}

}  // namespace meteor::async
