// New texts from old: replace, repeat, join, strip, pad.
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

// Whether there is room for `size` and `times` times `more` besides, twice: in the builder and in the text that it
// gives.
bool has_room_to_build(int64_t size, int64_t times, int64_t more) {
  int64_t built;
  if (__builtin_mul_overflow(times, more, &built) || __builtin_add_overflow(built, size, &built)) return false;
  return built <= LARGE_TEXT / 2 || (!__builtin_mul_overflow(built, 2, &built) && has_room_for(built));
}

int64_t count_up_to(const View& v, const View& part, int64_t max) {
  int64_t times = 0;
  for (int64_t at = find_bytes(v, part, 0); at >= 0 && times < max; at = find_bytes(v, part, at + part.size)) ++times;
  return times;
}

// `new_text` before each scalar and at the end, at most `max` times.
met_str insert_everywhere(const met_str& s, const met_str& new_text, int64_t max, bool by_scalar) {
  View v = view(s);
  int64_t places = max <= v.size ? max : v.size + 1;
  if (!has_room_to_build(v.size, places, size_of(new_text))) return NO_ROOM;
  met_builder builder = {};
  const uint8_t* at = v.data;
  for (; max > 0; max--) {
    met_builder_append(&builder, new_text);
    if (at == v.end()) break;
    int64_t bytes = by_scalar ? scalar_bytes(*at) : 1;
    met_builder_append_raw(&builder, at, bytes);
    at += bytes;
  }
  met_builder_append_raw(&builder, at, v.end() - at);
  return met_builder_take(&builder);
}

met_str replace(const met_str& s, const met_str& old_text, const met_str& new_text, int64_t max, bool by_scalar) {
  View v = view(s), old_view = view(old_text), new_view = view(new_text);
  if (max < 0) max = INT64_MAX;
  if (max == 0) return kept(s);
  if (old_view.size == 0) return insert_everywhere(s, new_text, max, by_scalar);
  int64_t found = find_bytes(v, old_view, 0);
  if (found < 0) return kept(s);
  if (old_view.size == new_view.size) {
    Writer writer(v.size);
    memcpy(writer.data, v.data, size_t(v.size));
    for (; found >= 0 && max > 0; max--, found = find_bytes(v, old_view, found + old_view.size))
      memcpy(writer.data + found, new_view.data, size_t(new_view.size));
    return writer.finish();
  }
  int64_t growth = new_view.size - old_view.size;
  int64_t most = v.size / old_view.size < max ? v.size / old_view.size : max;
  bool is_small = growth <= 0 || has_room_to_build(v.size, most, growth);
  if (!is_small && !has_room_to_build(v.size, count_up_to(v, old_view, max), growth)) return NO_ROOM;
  met_builder builder = {};
  met_builder_reserve(&builder, v.size);
  int64_t done = 0;
  for (; found >= 0 && max > 0; max--, found = find_bytes(v, old_view, done)) {
    met_builder_append_raw(&builder, v.data + done, found - done);
    met_builder_append_raw(&builder, new_view.data, new_view.size);
    done = found + old_view.size;
  }
  met_builder_append_raw(&builder, v.data + done, v.size - done);
  return met_builder_take(&builder);
}

enum Sides { LEFT = 1, RIGHT = 2, BOTH = 3 };

bool holds(const View& chars, uint32_t scalar) {
  for (const uint8_t* at = chars.data; at < chars.end();)
    if (next_scalar(at) == scalar) return true;
  return false;
}

// chars null: whitespace.
met_str strip(const met_str& s, const met_str* chars, int sides) {
  View v = view(s);
  View set = chars == nullptr ? View{nullptr, 0} : view(*chars);
  const uint8_t* from = v.data;
  const uint8_t* to = v.end();
  while ((sides & LEFT) && from < to) {
    const uint8_t* at = from;
    uint32_t scalar = next_scalar(at);
    if (chars == nullptr ? !is_space(scalar) : !holds(set, scalar)) break;
    from = at;
  }
  while ((sides & RIGHT) && from < to) {
    const uint8_t* at = to;
    uint32_t scalar = previous_scalar(at);
    if (chars == nullptr ? !is_space(scalar) : !holds(set, scalar)) break;
    to = at;
  }
  return make_part(s, from - v.data, to - v.data);
}

met_str pad(const met_str& s, int64_t left, int64_t right, const met_str& fill) {
  View v = view(s), f = view(fill);
  int64_t fill_size = 0;
  if (__builtin_mul_overflow(left + right, f.size, &fill_size) || __builtin_add_overflow(fill_size, v.size, &fill_size))
    met_out_of_memory(-1);
  Writer writer(fill_size);
  uint8_t* to = writer.data;
  for (int64_t i = 0; i < left; i++, to += f.size) memcpy(to, f.data, size_t(f.size));
  memcpy(to, v.data, size_t(v.size));
  to += v.size;
  for (int64_t i = 0; i < right; i++, to += f.size) memcpy(to, f.data, size_t(f.size));
  return writer.finish(is_ascii(s) && is_ascii(fill));
}

}  // namespace

extern "C" {

met_str met_str_replace(met_str s, met_str old_text, met_str new_text, int64_t max) {
  return replace(s, old_text, new_text, max, true);
}

met_str met_bytes_replace(met_str b, met_str old_bytes, met_str new_bytes, int64_t max) {
  return replace(b, old_bytes, new_bytes, max, false);
}

met_str met_str_repeat(met_str s, int64_t times) {
  View v = view(s);
  if (times <= 0 || v.size == 0) return EMPTY;
  if (times == 1) return kept(s);
  int64_t size;
  if (__builtin_mul_overflow(v.size, times, &size)) met_out_of_memory(-1);
  Writer writer(size);
  if (v.size == 1) {
    memset(writer.data, v.data[0], size_t(size));
  } else {
    memcpy(writer.data, v.data, size_t(v.size));
    for (int64_t done = v.size; done < size;) {  // doubles what is there
      int64_t more = done < size - done ? done : size - done;
      memcpy(writer.data + done, writer.data, size_t(more));
      done += more;
    }
  }
  return writer.finish(is_ascii(s));
}

met_str met_str_join(met_str separator, const met_str* parts, int64_t count) {
  if (count == 0) return EMPTY;
  if (count == 1) return kept(parts[0]);
  View between = view(separator);
  int64_t size;
  if (__builtin_mul_overflow(between.size, count - 1, &size)) return NO_ROOM;
  bool ascii = is_ascii(separator);
  for (int64_t i = 0; i < count; i++) {
    size += size_of(parts[i]);
    ascii = ascii && is_ascii(parts[i]);
  }
  if (!has_room_for(size)) return NO_ROOM;
  Writer writer(size);
  uint8_t* to = writer.data;
  for (int64_t i = 0; i < count; i++) {
    if (i != 0 && between.size != 0) {
      memcpy(to, between.data, size_t(between.size));
      to += between.size;
    }
    View part = view(parts[i]);
    memcpy(to, part.data, size_t(part.size));
    to += part.size;
  }
  return writer.finish(ascii);
}

met_str met_bytes_join(met_str separator, const met_str* parts, int64_t count) {
  return met_str_join(separator, parts, count);
}

met_str met_str_strip(met_str s) { return strip(s, nullptr, BOTH); }
met_str met_str_lstrip(met_str s) { return strip(s, nullptr, LEFT); }
met_str met_str_rstrip(met_str s) { return strip(s, nullptr, RIGHT); }
met_str met_str_strip_chars(met_str s, met_str chars) { return strip(s, &chars, BOTH); }
met_str met_str_lstrip_chars(met_str s, met_str chars) { return strip(s, &chars, LEFT); }
met_str met_str_rstrip_chars(met_str s, met_str chars) { return strip(s, &chars, RIGHT); }

met_str met_str_remove_prefix(met_str s, met_str prefix) {
  return met_str_starts_with(s, prefix) ? make_part(s, size_of(prefix), size_of(s)) : kept(s);
}

met_str met_str_remove_suffix(met_str s, met_str suffix) {
  return met_str_ends_with(s, suffix) ? make_part(s, 0, size_of(s) - size_of(suffix)) : kept(s);
}

met_str met_str_pad_left(met_str s, int64_t width, met_str fill) {
  int64_t missing = width - met_str_len(s);
  return missing <= 0 ? kept(s) : pad(s, missing, 0, fill);
}

met_str met_str_pad_right(met_str s, int64_t width, met_str fill) {
  int64_t missing = width - met_str_len(s);
  return missing <= 0 ? kept(s) : pad(s, 0, missing, fill);
}

met_str met_str_center(met_str s, int64_t width, met_str fill) {
  int64_t missing = width - met_str_len(s);
  if (missing <= 0) return kept(s);
  int64_t left = missing / 2 + (missing & width & 1);  // Python's choice of side for the odd one
  return pad(s, left, missing - left, fill);
}

met_str met_str_zfill(met_str s, int64_t width) {
  int64_t missing = width - met_str_len(s);
  if (missing <= 0) return kept(s);
  View v = view(s);
  int64_t sign = v.size > 0 && (v.data[0] == '-' || v.data[0] == '+') ? 1 : 0;
  Writer writer(v.size + missing);
  memcpy(writer.data, v.data, size_t(sign));
  memset(writer.data + sign, '0', size_t(missing));
  memcpy(writer.data + sign + missing, v.data + sign, size_t(v.size - sign));
  return writer.finish(is_ascii(s));
}

met_str met_str_expand_tabs(met_str s, int64_t tab_size) {
  View v = view(s);
  if (memchr(v.data, '\t', size_t(v.size)) == nullptr) return kept(s);
  met_builder builder = {};
  int64_t column = 0;
  for (const uint8_t* at = v.data; at < v.end();) {
    if (*at == '\t') {
      int64_t spaces = tab_size > 0 ? tab_size - column % tab_size : 0;
      met_builder_reserve(&builder, spaces);
      for (int64_t i = 0; i < spaces; i++) met_builder_append_byte(&builder, ' ');
      column += spaces;
      at++;
      continue;
    }
    column = *at == '\n' || *at == '\r' ? 0 : column + 1;
    int64_t bytes = scalar_bytes(*at);
    met_builder_append_raw(&builder, at, bytes);
    at += bytes;
  }
  return met_builder_take(&builder);
}

}  // extern "C"
