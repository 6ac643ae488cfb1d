// TLS over the streams of stream.h, by OpenSSL on the descriptor itself. Only programs that import `tls` link it.
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/async/isolate.h"
#include "runtime/net/stream.h"
#include "runtime/os/linux/c_path.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

SSL* session_of(Stream& stream) { return static_cast<SSL*>(stream.session); }

// What a call that gave `returned` means. The reason of a failure stays in OpenSSL's queue until somebody asks for it.
int64_t status_of(Stream& stream, int returned) {
  int error = errno;
  switch (SSL_get_error(session_of(stream), returned)) {
    case SSL_ERROR_ZERO_RETURN: return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: {
      int64_t status = watch_source(stream.source);
      return status < 0 ? status : int64_t(WAIT);
    }
    case SSL_ERROR_SYSCALL: return error != 0 ? -int64_t(error) : int64_t(FAILED_TLS);
    default: return FAILED_TLS;
  }
}

int64_t receive_tls(Stream& stream, uint8_t* to, int64_t most) {
  ERR_clear_error();
  int got = SSL_read(session_of(stream), to, int(most < INT_MAX ? most : INT_MAX));
  return got > 0 ? got : status_of(stream, got);
}

int64_t send_tls(Stream& stream, const uint8_t* from, int64_t count) {
  ERR_clear_error();
  int sent = SSL_write(session_of(stream), from, int(count < INT_MAX ? count : INT_MAX));
  if (sent > 0) return sent;
  int64_t status = status_of(stream, sent);
  return status == 0 ? -int64_t(EPIPE) : status;
}

void close_tls(Stream& stream) {
  SSL* session = session_of(stream);
  if (SSL_is_init_finished(session)) SSL_shutdown(session);   // says goodbye if there is room for it
  SSL_free(session);
  stream.session = nullptr;
  ERR_clear_error();
}

constexpr Transport TLS = {receive_tls, send_tls, close_tls};

met_str reason_text(const char* fallback) {
  unsigned long code = ERR_peek_last_error();
  const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  met_str text = met_str_from_c(reason != nullptr ? reason : fallback);
  ERR_clear_error();
  return text;
}

// The server's choice among what the client offers; the client's order does not count.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void* data) {
  const unsigned char* own = static_cast<const unsigned char*>(data);
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, own + 1, own[0], in, in_size) != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void free_protocols(void*, void* data, CRYPTO_EX_DATA*, int, long, void*) { OPENSSL_free(data); }

pthread_once_t index_once = PTHREAD_ONCE_INIT;
int protocols_index;
void make_index() { protocols_index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_protocols); }

void set_protocols(SSL_CTX* context, bool server, const met_str& protocols) {
  View wire = view(protocols);
  if (wire.size == 0 || wire.size > 255) return;
  if (!server) {
    SSL_CTX_set_alpn_protos(context, wire.data, unsigned(wire.size));
    return;
  }
  pthread_once(&index_once, make_index);
  unsigned char* kept = static_cast<unsigned char*>(OPENSSL_malloc(size_t(wire.size) + 1));
  kept[0] = uint8_t(wire.size);
  memcpy(kept + 1, wire.data, size_t(wire.size));
  SSL_CTX_set_ex_data(context, protocols_index, kept);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, kept);
}

// The names a certificate is for, separated by commas.
void list_names(X509* certificate, char* to, size_t room) {
  GENERAL_NAMES* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  size_t used = 0;
  to[0] = 0;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_DNS || used + 4 >= room) continue;
    int written = snprintf(to + used, room - used, "%s%.*s", used > 0 ? ", " : "", ASN1_STRING_length(name->d.dNSName), reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)));
    used = used + size_t(written) < room ? used + size_t(written) : room - 1;
  }
  GENERAL_NAMES_free(names);
  if (used == 0) X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, to, int(room));
}

void describe_time(const ASN1_TIME* time, char* to, size_t room) {
  tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) == 1) strftime(to, room, "%Y-%m-%d %H:%M:%S UTC", &parts);
}

// What is wrong with the peer's certificate.
met_str certificate_text(SSL* session, long result) {
  char text[700];
  char detail[400] = "";
  X509* certificate = SSL_get0_peer_certificate(session);
  if (certificate != nullptr) {
    switch (result) {
      case X509_V_ERR_HOSTNAME_MISMATCH:
      case X509_V_ERR_IP_ADDRESS_MISMATCH: {
        char names[300];
        list_names(certificate, names, sizeof names);
        snprintf(detail, sizeof detail, ": it is for %s", names);
        break;
      }
      case X509_V_ERR_CERT_HAS_EXPIRED:
        memcpy(detail, " on ", 5);
        describe_time(X509_get0_notAfter(certificate), detail + 4, sizeof detail - 4);
        break;
      case X509_V_ERR_CERT_NOT_YET_VALID:
        memcpy(detail, " until ", 8);
        describe_time(X509_get0_notBefore(certificate), detail + 7, sizeof detail - 7);
        break;
    }
  }
  snprintf(text, sizeof text, "%s%s", X509_verify_cert_error_string(result), detail);
  return met_str_from_c(text);
}

int64_t load(SSL_CTX* context, const met_str& certificate, const met_str& key, const met_str& authority, bool verify) {
  if (size_of(certificate) > 0) {
    os::CPath path(certificate), key_path(size_of(key) > 0 ? key : certificate);
    if (SSL_CTX_use_certificate_chain_file(context, path.c) != 1) return 1;
    if (SSL_CTX_use_PrivateKey_file(context, key_path.c, SSL_FILETYPE_PEM) != 1) return 2;
    if (SSL_CTX_check_private_key(context) != 1) return 2;
  }
  if (size_of(authority) > 0) {
    os::CPath path(authority);
    if (SSL_CTX_load_verify_locations(context, path.c, nullptr) != 1) return 3;
  } else if (verify) {
    SSL_CTX_set_default_verify_paths(context);
  }
  return 0;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
using meteor::text::store;

extern "C" {

// Null: *problem says what is wrong, *which what it is wrong with: 1 the certificate, 2 the key, 3 the authorities.
SSL_CTX* met_tls_context(bool server, met_str certificate, met_str key, met_str authority, bool verify, met_str protocols, met_str* problem, int64_t* which) {
  ERR_clear_error();
  SSL_CTX* context = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
  if (context == nullptr) {
    store(problem, reason_text("no memory"));
    return nullptr;
  }
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  if (server) SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("meteor"), 6);
  *which = load(context, certificate, key, authority, verify);
  if (*which != 0) {
    store(problem, reason_text("it can't be read"));
    SSL_CTX_free(context);
    return nullptr;
  }
  int mode = SSL_VERIFY_NONE;
  if (verify && !server) mode = SSL_VERIFY_PEER;
  if (server && meteor::text::size_of(authority) > 0) mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify(context, mode, nullptr);
  set_protocols(context, server, protocols);
  return context;
}

void met_tls_free_context(SSL_CTX* context) { SSL_CTX_free(context); }

// From here on the stream speaks TLS. `host`: who the peer has to be.
int64_t met_tls_start(Stream* stream, SSL_CTX* context, bool server, met_str host) {
  SSL* session = SSL_new(context);
  if (session == nullptr || SSL_set_fd(session, stream->source.fd) != 1) {
    SSL_free(session);
    return FAILED_TLS;
  }
  if (server) {
    SSL_set_accept_state(session);
  } else {
    SSL_set_connect_state(session);
    meteor::os::CPath name(host);
    X509_VERIFY_PARAM* wanted = SSL_get0_param(session);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c) != 1) {
      ERR_clear_error();
      SSL_set_tlsext_host_name(session, name.c);
      X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      SSL_set1_host(session, name.c);
    }
  }
  stream->session = session;
  stream->transport = &TLS;
  stream->source.flags |= SOURCE_BOTH;
  return 0;
}

int64_t met_tls_handshake(Stream* stream) {
  if (stream->source.fd < 0) return CLOSED;
  ERR_clear_error();
  int done = SSL_do_handshake(session_of(*stream));
  if (done == 1) return 0;
  int64_t status = status_of(*stream, done);
  return status == 0 ? int64_t(FAILED_TLS) : status;
}

// Why the last call failed. True: because of the peer's certificate.
bool met_tls_problem(Stream* stream, met_str* into) {
  SSL* session = session_of(*stream);
  long result = session != nullptr ? SSL_get_verify_result(session) : long(X509_V_OK);
  if (result != X509_V_OK && SSL_get_verify_mode(session) != SSL_VERIFY_NONE) {
    ERR_clear_error();
    store(into, certificate_text(session, result));
    return true;
  }
  bool ended = ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING || ERR_peek_last_error() == 0;
  if (ended) ERR_clear_error();
  store(into, ended ? met_str_from_c("it ended without saying so") : reason_text("it ended without saying so"));
  return false;
}

int64_t met_tls_shutdown(Stream* stream) {
  if (stream->source.fd < 0) return CLOSED;
  ERR_clear_error();
  SSL_shutdown(session_of(*stream));
  ERR_clear_error();
  return 0;
}

met_str met_tls_version(Stream* stream) { return met_str_from_c(stream->session != nullptr ? SSL_get_version(session_of(*stream)) : ""); }
met_str met_tls_cipher(Stream* stream) { return met_str_from_c(stream->session != nullptr ? SSL_get_cipher_name(session_of(*stream)) : ""); }
met_str met_tls_protocol(Stream* stream) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  if (stream->session != nullptr) SSL_get0_alpn_selected(session_of(*stream), &name, &size);
  return meteor::text::make(name, size);
}

}  // extern "C"
