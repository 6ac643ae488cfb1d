// HTTP/2 for std/http/http2.met and http2_client.met, on nghttp2: bytes from the connection go in, events come out; requests or
// answers go in, bytes for the connection come out. Nothing here waits or knows of sockets.
//
// Invariant: what nghttp2 calls back only queues events; the program takes them after each piece that was fed.
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/http/parts.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

constexpr int64_t WINDOW = 1 << 20;
constexpr int32_t CLIENT_WINDOW = 1 << 24;   // of all streams: a client gives back at once what came, so that no stream holds up another
constexpr uint32_t MOST_STREAMS = 128;
constexpr int64_t MOST_UNSENT = 8 << 20;  // of the answers on one connection, before another request begins

void* grown(void* old, size_t size) {
  void* made = realloc(old, size);
  if (made == nullptr) met_out_of_memory(int64_t(size));
  return made;
}

struct Bytes {
  uint8_t* data = nullptr;
  size_t at = 0, size = 0, capacity = 0;

  void add(const void* from, size_t count) {
    if (count == 0) return;
    if (at > 0 && size + count > capacity) {
      memmove(data, data + at, size - at);
      size -= at;
      at = 0;
    }
    if (size + count > capacity) {
      capacity = (size + count) * 2;
      data = static_cast<uint8_t*>(grown(data, capacity));
    }
    memcpy(data + size, from, count);
    size += count;
  }
  size_t left() const { return size - at; }
  void clear() {
    free(data);
    *this = {};
  }
};

struct Http2Stream {
  int32_t id;
  Bytes head;
  Bytes out;      // what the program has given in parts and nghttp2 has not taken
  met_str whole;  // a body that is there as a whole, sent from where it is, behind `out`
  int64_t whole_at;
  bool ends;      // nothing more will be given
  bool has_head;  // the one that counts has come: what follows is a trailer
  bool unsent;    // a request that nobody will see
  int64_t interim;
  Http2Stream* next;
};

struct Event {
  Event* next;
  int64_t kind;
  int32_t id;
  Bytes data;
};

// Requests that can't come any more (RFC 9113, 5.1 and 5.1.1), as far as they are remembered: nghttp2 only ignores
// their headers.
struct Past {
  static constexpr int MOST = 16;
  struct Skipped {
    int32_t first, last;
  };
  int32_t newest;
  int32_t taken_back[MOST];
  Skipped skipped[MOST];
  int taken_back_count, skipped_count;

  void take_back(int32_t id) { taken_back[taken_back_count++ % MOST] = id; }
  void begin(int32_t id) {
    if (id > newest + 2) skipped[skipped_count++ % MOST] = {newest + 1, id - 1};
    newest = id;
  }
  // Why the request can't begin or go on; NGHTTP2_NO_ERROR.
  uint32_t problem_with(int32_t id) const {
    for (int32_t other : taken_back)
      if (other == id) return NGHTTP2_STREAM_CLOSED;
    for (const Skipped& range : skipped)
      if (id >= range.first && id <= range.last) return NGHTTP2_PROTOCOL_ERROR;
    return NGHTTP2_NO_ERROR;
  }
};

}  // namespace

namespace meteor::net {

struct Http2Session {
  nghttp2_session* session;
  Event* first;
  Event* last;
  Http2Stream* streams;
  Past past;  // of a server
  int64_t most_head;
  int64_t unsent;  // of all streams' bodies
  bool client;
  bool settled;   // the other side's settings have come
};

}  // namespace meteor::net

using namespace meteor::net;

namespace {

int64_t unsent_of(const Http2Stream& stream) { return int64_t(stream.out.left()) + size_of(stream.whole) - stream.whole_at; }

void free_stream(Http2Session& session, Http2Stream* stream) {
  session.unsent -= unsent_of(*stream);
  met_str_release(stream->whole);
  stream->head.clear();
  stream->out.clear();
  free(stream);
}

void push(Http2Session& session, int64_t kind, int32_t id, const Bytes& data) {
  Event* event = static_cast<Event*>(grown(nullptr, sizeof(Event)));
  *event = {nullptr, kind, id, data};
  if (session.last != nullptr) session.last->next = event;
  else session.first = event;
  session.last = event;
}

// nghttp2 does not know a request before its first frame goes out.
Http2Stream* stream_of(Http2Session& session, int32_t id) {
  if (void* known = nghttp2_session_get_stream_user_data(session.session, id)) return static_cast<Http2Stream*>(known);
  if (!session.client) return nullptr;
  Http2Stream* stream = session.streams;
  while (stream != nullptr && stream->id != id) stream = stream->next;
  return stream;
}

Http2Stream* add_stream(Http2Session& session, int32_t id) {
  Http2Stream* stream = static_cast<Http2Stream*>(grown(nullptr, sizeof(Http2Stream)));
  *stream = {id, {}, {}, EMPTY, 0, false, false, false, 0, session.streams};
  session.streams = stream;
  return stream;
}

int on_begin_frame(nghttp2_session* inner, const nghttp2_frame_hd* frame, void* user) {
  Past& past = static_cast<Http2Session*>(user)->past;
  if (frame->stream_id == 0) return 0;
  if (frame->type == NGHTTP2_RST_STREAM) past.take_back(frame->stream_id);
  if (frame->type != NGHTTP2_HEADERS) return 0;
  uint32_t problem = past.problem_with(frame->stream_id);
  if (problem != NGHTTP2_NO_ERROR) return nghttp2_session_terminate_session(inner, problem);
  if (frame->stream_id > past.newest) past.begin(frame->stream_id);
  return 0;
}

int on_begin_headers(nghttp2_session* inner, const nghttp2_frame* frame, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  nghttp2_session_set_stream_user_data(inner, frame->hd.stream_id, add_stream(session, frame->hd.stream_id));
  return 0;
}

int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size, const uint8_t* value, size_t value_size, uint8_t, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  Http2Stream* stream = stream_of(session, frame->hd.stream_id);
  if (stream == nullptr || stream->has_head) return 0;   // a trailer, which nobody asked for
  if (int64_t(stream->head.size + name_size + value_size) > session.most_head) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  stream->head.add(name, name_size);
  stream->head.add("", 1);
  stream->head.add(value, value_size);
  stream->head.add("", 1);
  return 0;
}

// ":status", NUL, "1…": the answer itself comes later.
bool is_interim(const Http2Session& session, const Http2Stream& stream) { return session.client && stream.head.size > 8 && stream.head.data[8] == '1'; }

int take_interim(nghttp2_session* inner, Http2Session& session, Http2Stream& stream) {
  stream.head.clear();
  if (++stream.interim <= MOST_INTERIM) return 0;
  push(session, HTTP2_ENDLESS, stream.id, {});
  return nghttp2_session_terminate_session(inner, NGHTTP2_ENHANCE_YOUR_CALM);
}

int on_frame(nghttp2_session* inner, const nghttp2_frame* frame, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  if (frame->hd.type == NGHTTP2_SETTINGS) session.settled = true;
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  Http2Stream* stream = stream_of(session, frame->hd.stream_id);
  if (stream == nullptr) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS && !stream->has_head) {
    if (is_interim(session, *stream)) return take_interim(inner, session, *stream);
    push(session, HTTP2_HEAD, stream->id, stream->head);
    stream->head = {};
    stream->has_head = true;
  }
  if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) push(session, HTTP2_END, stream->id, {});
  return 0;
}

int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS || !session.client) return 0;
  if (Http2Stream* stream = stream_of(session, frame->hd.stream_id)) stream->unsent = true;
  return 0;
}

int on_data(nghttp2_session* inner, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  Bytes bytes;
  bytes.add(data, size);
  push(session, HTTP2_DATA, id, bytes);
  if (session.client) nghttp2_session_consume_connection(inner, size);
  return 0;
}

// The event carries why, as text.
int on_close(nghttp2_session* inner, int32_t id, uint32_t code, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  Http2Stream* stream = stream_of(session, id);
  if (stream == nullptr) return 0;
  for (Http2Stream** at = &session.streams; *at != nullptr; at = &(*at)->next) {
    if (*at != stream) continue;
    *at = stream->next;
    break;
  }
  nghttp2_session_set_stream_user_data(inner, id, nullptr);
  char why[16];
  int why_size = snprintf(why, sizeof why, "%u", stream->unsent ? unsigned(NGHTTP2_REFUSED_STREAM) : code);
  free_stream(session, stream);
  Bytes reason;
  reason.add(why, size_t(why_size));
  push(session, HTTP2_CLOSED, id, reason);
  return 0;
}

// nghttp2 asks only for what the windows let through.
ssize_t read_body(nghttp2_session*, int32_t id, uint8_t* to, size_t room, uint32_t* flags, nghttp2_data_source*, void* user) {
  Http2Session& session = *static_cast<Http2Session*>(user);
  Http2Stream* stream = stream_of(session, id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  size_t count = stream->out.left() < room ? stream->out.left() : room;
  if (count > 0) memcpy(to, stream->out.data + stream->out.at, count);
  stream->out.at += count;
  if (stream->out.left() == 0) {
    stream->out.clear();
    size_t left = size_t(size_of(stream->whole) - stream->whole_at);
    size_t more = left < room - count ? left : room - count;
    if (more > 0) memcpy(to + count, data_of(stream->whole) + stream->whole_at, more);
    stream->whole_at += int64_t(more);
    count += more;
  }
  session.unsent -= int64_t(count);
  bool is_all = unsent_of(*stream) == 0;
  if (is_all && stream->ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (count == 0 && !stream->ends) return NGHTTP2_ERR_DEFERRED;
  return ssize_t(count);
}

Http2Session* new_session(int64_t most_head, bool client) {
  Http2Session* session = static_cast<Http2Session*>(calloc(1, sizeof(Http2Session)));
  nghttp2_session_callbacks* calls = nullptr;
  nghttp2_option* options = nullptr;
  if (session == nullptr || nghttp2_session_callbacks_new(&calls) != 0 || nghttp2_option_new(&options) != 0) met_out_of_memory(sizeof(Http2Session));
  if (!client) nghttp2_session_callbacks_set_on_begin_frame_callback(calls, on_begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(calls, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(calls, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, on_not_sent);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_close);
  nghttp2_option_set_no_auto_window_update(options, 1);
  session->most_head = most_head;
  session->client = client;
  int status = client ? nghttp2_session_client_new2(&session->session, calls, session, options) : nghttp2_session_server_new2(&session->session, calls, session, options);
  if (status != 0) met_out_of_memory(sizeof(Http2Session));
  nghttp2_session_callbacks_del(calls);
  nghttp2_option_del(options);
  nghttp2_settings_entry settings[] = {
      client ? nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0} : nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MOST_STREAMS},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, uint32_t(WINDOW)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, uint32_t(most_head)},
  };
  nghttp2_submit_settings(session->session, NGHTTP2_FLAG_NONE, settings, 3);
  nghttp2_session_set_local_window_size(session->session, NGHTTP2_FLAG_NONE, 0, client ? CLIENT_WINDOW : int32_t(WINDOW));
  return session;
}

// Names and values, each with a NUL behind it.
struct Fields {
  nghttp2_nv* first;
  size_t count;

  explicit Fields(met_str head) : first(nullptr), count(0) {
    View bytes = view(head);
    size_t ends = 0;
    for (int64_t i = 0; i < bytes.size; ++i) ends += bytes.data[i] == 0;
    first = static_cast<nghttp2_nv*>(grown(nullptr, (ends / 2 + 1) * sizeof(nghttp2_nv)));
    uint8_t* at = const_cast<uint8_t*>(bytes.data);
    for (; count < ends / 2; ++count) {
      size_t name_size = strlen(reinterpret_cast<char*>(at));
      uint8_t* value = at + name_size + 1;
      size_t value_size = strlen(reinterpret_cast<char*>(value));
      bool secret = name_size == 13 && memcmp(at, "authorization", 13) == 0;
      first[count] = {at, value, name_size, value_size, uint8_t(secret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE)};
      at = value + value_size + 1;
    }
  }
  ~Fields() { free(first); }
};

}  // namespace

extern "C" {

Http2Session* met_http2_new(int64_t most_head) { return new_session(most_head, false); }
Http2Session* met_http2_new_client(int64_t most_head) { return new_session(most_head, true); }

void met_http2_free(Http2Session* session) {
  nghttp2_session_del(session->session);
  while (session->streams != nullptr) {
    Http2Stream* stream = session->streams;
    session->streams = stream->next;
    free_stream(*session, stream);
  }
  while (session->first != nullptr) {
    Event* event = session->first;
    session->first = event->next;
    event->data.clear();
    free(event);
  }
  free(session);
}

// False: this is no HTTP/2.
bool met_http2_feed(Http2Session* session, met_str data) {
  View bytes = view(data);
  return nghttp2_session_mem_recv(session->session, bytes.data, size_t(bytes.size)) >= 0;
}

// What is to be sent now; empty when there is nothing.
met_str met_http2_output(Http2Session* session) {
  Bytes all;
  while (all.size < 256 * 1024) {
    const uint8_t* data = nullptr;
    ssize_t size = nghttp2_session_mem_send(session->session, &data);
    if (size <= 0) break;
    all.add(data, size_t(size));
  }
  met_str made = make_known(all.data, int64_t(all.size), false);
  all.clear();
  return made;
}

int64_t met_http2_event(Http2Session* session, int64_t* id, met_str* data) {
  Event* event = session->first;
  if (event == nullptr) return HTTP2_NOTHING;
  session->first = event->next;
  if (session->first == nullptr) session->last = nullptr;
  int64_t kind = event->kind;
  *id = event->id;
  store(data, make_known(event->data.data, int64_t(event->data.size), false));
  event->data.clear();
  free(event);
  return kind;
}

bool met_http2_answer(Http2Session* session, int64_t id, met_str head, bool has_body) {
  Fields fields(head);
  nghttp2_data_provider body = {};
  body.read_callback = read_body;
  return nghttp2_submit_response(session->session, int32_t(id), fields.first, fields.count, has_body ? &body : nullptr) == 0;
}

// The request's number; below 0: the connection takes no more.
int64_t met_http2_request(Http2Session* session, met_str head, bool has_body) {
  Fields fields(head);
  nghttp2_data_provider body = {};
  body.read_callback = read_body;
  Http2Stream* stream = add_stream(*session, -1);
  int32_t id = nghttp2_submit_request(session->session, nullptr, fields.first, fields.count, has_body ? &body : nullptr, stream);
  if (id < 0) {
    session->streams = stream->next;
    free_stream(*session, stream);
    return -1;
  }
  stream->id = id;
  return id;
}

bool met_http2_may_ask(Http2Session* session) { return nghttp2_session_check_request_allowed(session->session) != 0; }

// How many requests the server takes at once; -1: it has not said yet.
int64_t met_http2_most_streams(Http2Session* session) {
  if (!session->settled) return -1;
  return nghttp2_session_get_remote_settings(session->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

// False: the stream has gone.
bool met_http2_body(Http2Session* session, int64_t id, met_str data, bool ends) {
  Http2Stream* stream = stream_of(*session, int32_t(id));
  if (stream == nullptr) return false;
  View bytes = view(data);
  stream->out.add(bytes.data, size_t(bytes.size));
  session->unsent += bytes.size;
  if (ends) stream->ends = true;
  nghttp2_session_resume_data(session->session, int32_t(id));
  return true;
}

// The whole body, or what follows the parts: it is kept as it is, not copied. False: the stream has gone.
bool met_http2_whole_body(Http2Session* session, int64_t id, met_str data) {
  Http2Stream* stream = stream_of(*session, int32_t(id));
  if (stream == nullptr) return false;
  met_str_retain(data);
  met_str_release(stream->whole);
  stream->whole = data;
  stream->whole_at = 0;
  stream->ends = true;
  session->unsent += size_of(data);
  nghttp2_session_resume_data(session->session, int32_t(id));
  return true;
}

// More answers would only lie here: the connection's window is shut, or too much waits for those of streams.
bool met_http2_is_full(Http2Session* session) {
  return session->unsent > MOST_UNSENT ||
         (session->unsent > 0 && nghttp2_session_get_remote_window_size(session->session) <= 0);
}

// How much of the body has not been sent; -1: the stream has gone.
int64_t met_http2_pending(Http2Session* session, int64_t id) {
  Http2Stream* stream = stream_of(*session, int32_t(id));
  return stream != nullptr ? unsent_of(*stream) : -1;
}

void met_http2_consume(Http2Session* session, int64_t id, int64_t count) {
  if (session->client) nghttp2_session_consume_stream(session->session, int32_t(id), size_t(count));
  else nghttp2_session_consume(session->session, int32_t(id), size_t(count));
}
void met_http2_reset(Http2Session* session, int64_t id, int64_t code) { nghttp2_submit_rst_stream(session->session, NGHTTP2_FLAG_NONE, int32_t(id), uint32_t(code)); }
void met_http2_stop(Http2Session* session) {
  nghttp2_submit_goaway(session->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session->session), NGHTTP2_NO_ERROR, nullptr, 0);
}
bool met_http2_goes_on(Http2Session* session) { return nghttp2_session_want_read(session->session) || nghttp2_session_want_write(session->session); }

}  // extern "C"
