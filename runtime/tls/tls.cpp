// One TLS connection: the handshake, bytes in and out, the end.
#include "runtime/tls/tls.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/loop/isolate.h"
#include "runtime/text/c_path.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

// ---- What OpenSSL reads from and writes to ----

Stream& stream_of(BIO* bio) { return *static_cast<Stream*>(BIO_get_data(bio)); }

int pass_on(BIO* bio, Session& session, int64_t status, bool reading) {
  BIO_clear_retry_flags(bio);
  if (status > 0) return int(status);
  if (status == WAIT) reading ? BIO_set_retry_read(bio) : BIO_set_retry_write(bio);
  else if (status < 0) session.failure = status;
  return status == 0 ? 0 : -1;
}

int read_below(BIO* bio, char* to, int most) {
  Stream& stream = stream_of(bio);
  Session& session = session_of(stream);
  if (Unread* early = session.early; early != nullptr) {
    int64_t left = early->size - early->at, count = left < most ? left : most;
    memcpy(to, early->data + early->at, size_t(count));
    early->at += count;
    if (count == left) {
      drop_unread(early);
      session.early = nullptr;
    }
    return pass_on(bio, session, count, true);
  }
  int64_t got = receive_plain(stream, reinterpret_cast<uint8_t*>(to), most);
  BIO_set_flags(bio, got == 0 ? BIO_FLAGS_IN_EOF : 0);
  return pass_on(bio, session, got, true);
}

// What the stream does not take now is said later. More than there is room for is not said at all: a part of it means nothing.
int write_last_words(BIO* bio, Session& session, const char* from, int count, int64_t sent) {
  int64_t taken = sent > 0 ? sent : 0, left = count - taken;
  LastWords& words = *session.words;
  if (words.size + left > LastWords::ROOM) return pass_on(bio, session, sent, false);
  memcpy(words.data + words.size, from + taken, size_t(left));
  words.size += left;
  return pass_on(bio, session, count, false);
}

int write_below(BIO* bio, const char* from, int count) {
  Stream& stream = stream_of(bio);
  Session& session = session_of(stream);
  bool has_said_part = session.words != nullptr && session.words->size > 0;
  int64_t sent = has_said_part ? int64_t(WAIT) : send_plain(stream, reinterpret_cast<const uint8_t*>(from), count);
  if (session.words != nullptr && (sent == WAIT || (sent >= 0 && sent < count))) return write_last_words(bio, session, from, count, sent);
  return pass_on(bio, session, sent, false);
}

long control_below(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    default: return 0;
  }
}

os::Once method_once;
BIO_METHOD* method;
void make_method() {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "meteor stream");
  BIO_meth_set_read(method, read_below);
  BIO_meth_set_write(method, write_below);
  BIO_meth_set_ctrl(method, control_below);
}

// ---- The transport ----

// What a call that gave `returned` means. The reason of a failure stays in OpenSSL's queue until somebody asks for it.
int64_t status_of(Session& session, int returned) {
  switch (SSL_get_error(session.ssl, returned)) {
    case SSL_ERROR_ZERO_RETURN: return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return WAIT;
    case SSL_ERROR_SYSCALL:
      session.failed = true;
      return session.failure != 0 ? session.failure : int64_t(FAILED_TLS);
    default: session.failed = true; return FAILED_TLS;
  }
}

// Clearing goes through all places of the queue, so it is asked first whether there is anything.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

// Nothing can have come since the last call found nothing: OpenSSL would make a buffer, ask the stream and let go of it again. The peer's end is found by every call.
bool has_surely_nothing(Stream& stream, Session& session) {
  if ((stream.source.ready & READY_READ) || !session.has_begun || session.failed || session.early != nullptr) return false;
  return !(SSL_get_shutdown(session.ssl) & SSL_RECEIVED_SHUTDOWN) && !SSL_has_pending(session.ssl) && !SSL_want_write(session.ssl);
}

int64_t receive_tls(Stream& stream, uint8_t* to, int64_t most) {
  Session& session = session_of(stream);
  if (has_surely_nothing(stream, session)) {
    int64_t status = watch_source(stream.source, READY_READ);
    return status < 0 ? status : int64_t(WAIT);
  }
  forget_errors();
  int got = SSL_read(session.ssl, to, int(most < INT_MAX ? most : INT_MAX));
  if (!session.has_begun && !session.failed) session.has_begun = SSL_is_init_finished(session.ssl);
  return got > 0 ? got : status_of(session, got);
}

int64_t send_tls(Stream& stream, const uint8_t* from, int64_t count) {
  Session& session = session_of(stream);
  forget_errors();
  int sent = SSL_write(session.ssl, from, int(count < INT_MAX ? count : INT_MAX));
  if (sent > 0) {
    session.half_sent = false;
    session.has_begun = true;
    return sent;
  }
  int64_t status = status_of(session, sent);
  session.half_sent = status == WAIT && SSL_is_init_finished(session.ssl) && SSL_want_write(session.ssl);
  return status == 0 ? -int64_t(EPIPE) : status;
}

// A record that is half sent is never whole, so the peer can't be told that this is the end.
void close_tls(Stream& stream, LastWords& words) {
  Session& session = session_of(stream);
  forget_errors();
  session.words = &words;
  words.more_comes = !SSL_is_server(session.ssl);
  if (!session.failed && !session.half_sent && SSL_is_init_finished(session.ssl)) SSL_shutdown(session.ssl);
  SSL_free(session.ssl);
  X509_free(session.refused);
  drop_unread(session.early);
  free(session.peer);
  free(&session);
  stream.layer = nullptr;
  forget_errors();
}

bool is_half_sent(Stream& stream) { return session_of(stream).half_sent; }

constexpr Transport TLS = {receive_tls, send_tls, close_tls, is_half_sent};

// Who the server has to be, and what it is asked for.
bool expect_peer(Session& session, const met_str& host) {
  text::CPath name(host);
  if (!name.valid) return false;
  X509_VERIFY_PARAM* wanted = SSL_get0_param(session.ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c) == 1) return true;
  forget_errors();
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set_tlsext_host_name(session.ssl, name.c) == 1 && SSL_set1_host(session.ssl, name.c) == 1;
}

bool begin_client(Session& session, const met_str& host, int64_t port) {
  SSL_set_connect_state(session.ssl);
  if (!expect_peer(session, host)) return false;
  View name = view(host);
  if (asprintf(&session.peer, "%.*s:%lld", int(name.size), reinterpret_cast<const char*>(name.data), static_cast<long long>(port)) < 0) return false;
  SSL_SESSION* kept = take_session(*session.context, session.peer);
  if (kept != nullptr) SSL_set_session(session.ssl, kept);
  SSL_SESSION_free(kept);
  return true;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
using meteor::text::store;

extern "C" {

// From here on the stream speaks TLS. `host`: who the peer of a client has to be.
int64_t met_tls_start(Stream* stream, Context* context, bool server, met_str host, int64_t port) {
  method_once.call(make_method);
  Session* session = static_cast<Session*>(calloc(1, sizeof(Session)));
  if (session == nullptr) return FAILED_TLS;
  forget_errors();
  session->ssl = SSL_new(context->ssl);
  session->context = context;
  BIO* bio = session->ssl != nullptr ? BIO_new(method) : nullptr;
  if (bio == nullptr) {
    SSL_free(session->ssl);
    free(session);
    return FAILED_TLS;
  }
  BIO_set_data(bio, stream);
  BIO_set_init(bio, 1);
  SSL_set_bio(session->ssl, bio, bio);
  SSL_set_app_data(session->ssl, session);
  session->transport = &TLS;
  session->early = stream->unread;
  stream->unread = nullptr;
  stream->layer = session;
  stream->source.flags |= SOURCE_BOTH;
  if (server) {
    SSL_set_accept_state(session->ssl);
    return 0;
  }
  return begin_client(*session, host, port) ? 0 : int64_t(FAILED_TLS);
}

// Before the handshake of a client: the protocols it speaks, as they go over the wire.
void met_tls_offer(Stream* stream, met_str protocols) {
  meteor::text::View wire = meteor::text::view(protocols);
  if (stream->layer != nullptr) SSL_set_alpn_protos(session_of(*stream).ssl, wire.data, unsigned(wire.size));
}

int64_t met_tls_handshake(Stream* stream) {
  if (stream->source.fd < 0) return CLOSED;
  Session& session = session_of(*stream);
  forget_errors();
  int done = SSL_do_handshake(session.ssl);
  if (done == 1) {
    session.has_begun = true;
    return 0;
  }
  int64_t status = status_of(session, done);
  return status == 0 ? int64_t(FAILED_TLS) : status;
}

// Why the last call failed: 0 for anything but the peer's certificate.
int64_t met_tls_problem(Stream* stream, met_str* into) {
  Problem problem = {};
  if (stream->layer != nullptr) describe_problem(session_of(*stream), problem);
  store(into, met_str_from_c(problem.text));
  return problem.kind;
}

// Says that nothing more is written: 0, WAIT or what is wrong.
int64_t met_tls_shutdown(Stream* stream) {
  if (stream->source.fd < 0) return CLOSED;
  Session& session = session_of(*stream);
  if (session.failed) return 0;
  forget_errors();
  int done = SSL_shutdown(session.ssl);
  if (done >= 0) return 0;
  int64_t status = status_of(session, done);
  return status == -EPIPE || status == -ECONNRESET ? 0 : status;   // the peer has gone: there is nothing to end
}

met_str met_tls_version(Stream* stream) { return met_str_from_c(stream->layer != nullptr ? SSL_get_version(session_of(*stream).ssl) : ""); }
met_str met_tls_cipher(Stream* stream) { return met_str_from_c(stream->layer != nullptr ? SSL_get_cipher_name(session_of(*stream).ssl) : ""); }
bool met_tls_resumed(Stream* stream) { return stream->layer != nullptr && SSL_session_reused(session_of(*stream).ssl); }

met_str met_tls_protocol(Stream* stream) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  if (stream->layer != nullptr) SSL_get0_alpn_selected(session_of(*stream).ssl, &name, &size);
  return meteor::text::make(name, size);
}

// The name the client asked for.
met_str met_tls_server_name(Stream* stream) {
  const char* name = stream->layer != nullptr ? SSL_get_servername(session_of(*stream).ssl, TLSEXT_NAMETYPE_host_name) : nullptr;
  return met_str_from_c(name != nullptr ? name : "");
}

// Whom the peer's certificate is for, as one line; empty without one.
met_str met_tls_subject(Stream* stream) {
  X509* certificate = stream->layer != nullptr ? SSL_get0_peer_certificate(session_of(*stream).ssl) : nullptr;
  char text[400] = "";
  if (certificate != nullptr) X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, sizeof text);
  return met_str_from_c(text);
}

}  // extern "C"
