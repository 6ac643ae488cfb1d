// JSON's tokens for std/json: text and numbers of a document, and both written. The document is a copy that ends in
// zero bytes (at least JSON_PADDING), so that scanning needs no bounds.
#ifndef METEOR_RUNTIME_JSON_H
#define METEOR_RUNTIME_JSON_H

#include "runtime/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first fields of class Reader of std/json/reader.met, in that order.
typedef struct met_json_reader {
  met_object header;
  uint8_t* data;
  int64_t size;
  int64_t at;
  int64_t status;  // what the last token was: JSON_…
  double number;   // JSON_FLOAT, JSON_LARGE: its value
} met_json_reader;

// The first fields of class Writer.
typedef struct met_json_writer {
  met_object header;
  met_builder out;
} met_json_writer;

enum {
  JSON_INT = 0,  // also: text that is fine
  JSON_FLOAT = 1,
  JSON_LARGE = 2,  // a whole number that does not fit an int
  JSON_BAD_NUMBER = 3,
  JSON_CONTROL = 4,  // the rest: `at` is the byte that does not belong there
  JSON_UNTERMINATED = 5,
  JSON_BAD_ESCAPE = 6,
  JSON_BAD_HEX = 7,
  JSON_SURROGATE = 8,
};

#define JSON_PADDING 64

met_str met_json_read_text(met_json_reader* reader);  // `at` is behind the opening quote, then behind the closing one
void met_json_skip_text(met_json_reader* reader);     // the same without making the text
int64_t met_json_read_number(
    met_json_reader* reader);  // JSON_INT: its value; JSON_LARGE: the value when it fits a uint64, else 0
void met_json_write_text(met_json_writer* writer, met_str text);  // with quotes and escapes
void met_json_write_raw(met_json_writer* writer, met_str text);
void met_json_write_int(met_json_writer* writer, int64_t value);
void met_json_write_uint(met_json_writer* writer, uint64_t value);
void met_json_write_float(met_json_writer* writer, double value);  // finite
met_str met_json_taken(met_json_writer* writer);                   // the text; the writer is empty afterwards
void met_json_free(met_json_writer* writer);

#ifdef __cplusplus
}
#endif
#endif
