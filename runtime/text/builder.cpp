// Text that grows at its end: raw memory that doubles.
#include "runtime/text/view.h"

using namespace meteor::text;

extern "C" {

void met_builder_reserve(met_builder* builder, int64_t more) {
  int64_t wanted = builder->size + more;
  if (wanted <= builder->capacity) return;
  int64_t capacity = builder->capacity * 2;
  if (capacity < wanted) capacity = wanted;
  if (capacity < 64) capacity = 64;
  builder->data = static_cast<uint8_t*>(met_raw_realloc(builder->data, builder->capacity, capacity));
  builder->capacity = capacity;
}

void met_builder_append_raw(met_builder* builder, const uint8_t* data, int64_t bytes) {
  if (bytes == 0) return;
  if (bytes > builder->capacity - builder->size) met_builder_reserve(builder, bytes);
  memcpy(builder->data + builder->size, data, size_t(bytes));
  builder->size += bytes;
}

void met_builder_append(met_builder* builder, met_str s) { met_builder_append_raw(builder, data_of(s), size_of(s)); }

void met_builder_append_byte(met_builder* builder, int64_t byte) {
  if (builder->size == builder->capacity) met_builder_reserve(builder, 1);
  builder->data[builder->size++] = uint8_t(byte);
}

void met_builder_append_scalar(met_builder* builder, int64_t scalar) {
  if (builder->capacity - builder->size < 4) met_builder_reserve(builder, 4);
  builder->size += write_scalar(builder->data + builder->size, uint32_t(scalar));
}

met_str met_builder_text(const met_builder* builder) {
  return builder->size == 0 ? EMPTY : make(builder->data, builder->size);
}

met_str met_builder_take(met_builder* builder) {
  met_str text = met_builder_text(builder);
  met_builder_free(builder);
  return text;
}

void met_builder_free(met_builder* builder) {
  met_raw_free(builder->data, builder->capacity);
  *builder = {};
}

}  // extern "C"
