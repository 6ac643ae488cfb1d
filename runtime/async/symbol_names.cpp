#include "runtime/async/symbol_names.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

namespace meteor::async {

namespace {

constexpr char PREFIX[] = "met:";         // of the functions that were written in Meteor
constexpr char BODY[] = ".body";          // of the code of one with a frame

struct Image {
  const char* data = nullptr;
  size_t size = 0;
  const Elf64_Sym* symbols = nullptr;
  size_t count = 0;
  const char* names = nullptr;
  size_t names_size = 0;
  uintptr_t bias = 0;
};

bool map_image(Image& image) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat about;
  void* data = fstat(fd, &about) == 0 ? mmap(nullptr, size_t(about.st_size), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (data == MAP_FAILED) return false;
  image.data = static_cast<const char*>(data);
  image.size = size_t(about.st_size);
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(data);
  if (header->e_type == ET_DYN) image.bias = reinterpret_cast<uintptr_t>(&__ehdr_start);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data + header->e_shoff);
  if (header->e_shoff == 0 || header->e_shoff + header->e_shnum * sizeof *sections > image.size) return true;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    if (section.sh_offset + section.sh_size > image.size || names.sh_offset + names.sh_size > image.size) continue;
    image.symbols = reinterpret_cast<const Elf64_Sym*>(image.data + section.sh_offset);
    image.count = section.sh_size / sizeof(Elf64_Sym);
    image.names = image.data + names.sh_offset;
    image.names_size = names.sh_size;
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
    ssize_t written = write(fd, text, size);
    if (written <= 0) return;
    text += written;
    size -= size_t(written);
  }
}

}  // namespace

void write_function_names(int fd, void* const* addresses, int count) {
  Image image;
  if (!map_image(image)) return;
  for (int i = 0; i < count; ++i) {
    const char* name = name_at(image, reinterpret_cast<uintptr_t>(addresses[i]) - (i == 0 ? 0 : 1));   // a return address lies behind the call
    if (name == nullptr || strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) continue;
    name += sizeof PREFIX - 1;
    size_t size = strlen(name);
    constexpr size_t TAIL = sizeof BODY - 1;
    if (size > TAIL && memcmp(name + size - TAIL, BODY, TAIL) == 0) size -= TAIL;
    put(fd, "  in ", 5);
    put(fd, name, size);
    put(fd, "\n", 1);
  }
  munmap(const_cast<char*>(image.data), image.size);
}

}  // namespace meteor::async
