#include "runtime/inspect/symbol_names.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/inspect/line_tables.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/pages.h"

extern "C" const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

namespace meteor::async {

namespace {

constexpr char PREFIX[] = "met:";  // of the functions that were written in Meteor
constexpr char BODY[] = ".body";   // of the code of one with a frame

constexpr char CORE[] = "std/core";  // the folder of what is part of the language
constexpr char ENTRY[] = "entry";    // runs the modules and `main`
constexpr int MOST_PLACES = 32;      // of one address
constexpr int SHOWN_REPEATS = 3;     // lines of one place in a recursion

struct Image {
  const char* data = nullptr;
  size_t size = 0;
  const Elf64_Sym* symbols = nullptr;
  size_t count = 0;
  const char* names = nullptr;
  size_t names_size = 0;
  uintptr_t bias = 0;
  LineTables lines;
};

bool is_whole(const Image& image, const Elf64_Shdr& section) {
  return section.sh_type != SHT_NOBITS && section.sh_offset <= image.size &&
         section.sh_size <= image.size - section.sh_offset;
}

void note_section(Image& image, const char* name, const Elf64_Shdr& section) {
  auto take = [&](const char* wanted, Section& to) {
    if (strcmp(name, wanted) == 0)
      to = {reinterpret_cast<const uint8_t*>(image.data + section.sh_offset), section.sh_size};
  };
  take(".debug_info", image.lines.info);
  take(".debug_abbrev", image.lines.abbreviations);
  take(".debug_line", image.lines.lines);
  take(".debug_str", image.lines.texts);
  take(".debug_ranges", image.lines.ranges);
}

bool map_image(Image& image) {
  os::Mapped mapped = os::map_own_executable();
  if (mapped.data == nullptr) return false;
  image.data = mapped.data;
  image.size = mapped.size;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image.data);
  if (header->e_type == ET_DYN) image.bias = reinterpret_cast<uintptr_t>(&__ehdr_start);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data + header->e_shoff);
  if (header->e_shoff == 0 || header->e_shoff + header->e_shnum * sizeof *sections > image.size ||
      header->e_shstrndx >= header->e_shnum)
    return true;
  const Elf64_Shdr& section_names = sections[header->e_shstrndx];
  if (!is_whole(image, section_names)) return true;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& section = sections[i];
    if (!is_whole(image, section) || section.sh_name >= section_names.sh_size) continue;
    note_section(image, image.data + section_names.sh_offset + section.sh_name, section);
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum ||
        !is_whole(image, sections[section.sh_link]))
      continue;
    image.symbols = reinterpret_cast<const Elf64_Sym*>(image.data + section.sh_offset);
    image.count = section.sh_size / sizeof(Elf64_Sym);
    image.names = image.data + sections[section.sh_link].sh_offset;
    image.names_size = sections[section.sh_link].sh_size;
  }
  return true;
}

const char* name_at(const Image& image, uintptr_t address) {
  for (size_t i = 0; i < image.count; ++i) {
    const Elf64_Sym& symbol = image.symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= image.names_size) continue;
    uintptr_t start = symbol.st_value + image.bias;
    if (address >= start && address < start + symbol.st_size) return image.names + symbol.st_name;
  }
  return nullptr;
}

void put(int fd, const char* text, size_t size) {
  while (size > 0) {
    int64_t written = os::write_descriptor(fd, text, int64_t(size));
    if (written <= 0) return;
    text += written;
    size -= size_t(written);
  }
}

bool is_meteor(const char* file) {
  constexpr char ENDING[] = ".met";
  size_t size = strlen(file), tail = sizeof ENDING - 1;
  return size > tail && memcmp(file + size - tail, ENDING, tail) == 0;
}

// Writes the lines of a stack, without the frames of the core library around the program's own.
class StackWriter {
 public:
  StackWriter(int fd, const Image& image) : fd_(fd), image_(image) {}
  ~StackWriter() { end_repeats(); }

  void add(uintptr_t address) {
    const char* symbol = name_at(image_, address);
    bool is_named = symbol != nullptr && strncmp(symbol, PREFIX, sizeof PREFIX - 1) == 0;
    if (is_named) symbol += sizeof PREFIX - 1;
    CodePlace places[MOST_PLACES];
    int count = find_places(image_.lines, address - image_.bias, places, MOST_PLACES);
    for (int i = 0; i < count; ++i) {
      if (places[i].function == nullptr && is_named) places[i].function = symbol;
      if (places[i].function != nullptr && is_meteor(places[i].file)) add(places[i]);
    }
    if (count == 0 && is_named) add(CodePlace{symbol, "", "", 0});
  }

 private:
  void add(const CodePlace& place) {
    bool is_core = strstr(place.directory, CORE) != nullptr || place.line == 0 || strcmp(place.function, ENTRY) == 0;
    if (is_core && has_own_) return;
    has_own_ |= !is_core;
    bool is_same =
        place.line == last_.line && strcmp(place.function, last_.function) == 0 && strcmp(place.file, last_.file) == 0;
    if (is_same && ++repeats_ >= SHOWN_REPEATS) return;
    if (!is_same) {
      end_repeats();
      last_ = place;
    }
    write_line(place);
  }

  void end_repeats() {
    char line[64];
    if (repeats_ >= SHOWN_REPEATS)
      put(fd_, line,
          size_t(snprintf(line, sizeof line, "  … the same place %d more times\n", repeats_ - SHOWN_REPEATS + 1)));
    repeats_ = 0;
  }

  void write_line(const CodePlace& place) {
    size_t size = strlen(place.function);
    constexpr size_t TAIL = sizeof BODY - 1;
    if (size > TAIL && memcmp(place.function + size - TAIL, BODY, TAIL) == 0) size -= TAIL;
    put(fd_, "  at ", 5);
    put(fd_, place.function, size);
    if (place.line > 0) {
      put(fd_, " (", 2);
      put(fd_, place.directory, strlen(place.directory));
      if (place.directory[0] != 0) put(fd_, "/", 1);
      put(fd_, place.file, strlen(place.file));
      char line[24];
      put(fd_, line, size_t(snprintf(line, sizeof line, ":%u)", place.line)));
    }
    put(fd_, "\n", 1);
  }

  int fd_;
  const Image& image_;
  bool has_own_ = false;
  CodePlace last_{"", "", "", 0};
  int repeats_ = 0;
};

}  // namespace

void write_function_names(int fd, void* const* addresses, int count) {
  Image image;
  if (!map_image(image)) return;
  {
    StackWriter writer(fd, image);
    for (int i = 0; i < count; ++i)
      writer.add(reinterpret_cast<uintptr_t>(addresses[i]) -
                 (i == 0 ? 0 : 1));  // a return address lies behind the call
  }
  os::unmap_pages(const_cast<char*>(image.data), image.size);
}

}  // namespace meteor::async
