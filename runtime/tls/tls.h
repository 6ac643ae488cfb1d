// TLS over the streams of stream.h, by OpenSSL: its bytes go through the same calls as those of a plain stream, so waiting,
// cancelling and whatever reactor there is work alike. Only programs that use `tls` link these files and OpenSSL.
//
// Invariant: a Context outlives the sessions made from it (TlsStream holds its Config).
#ifndef METEOR_RUNTIME_TLS_TLS_H
#define METEOR_RUNTIME_TLS_TLS_H

#include <openssl/ssl.h>

#include "runtime/net/stream.h"

namespace meteor::net {

// A session a server gave us, to go on with next time.
struct KeptSession {
  KeptSession* next;
  SSL_SESSION* session;
  char* peer;
};

// Another context for the clients that ask for this name.
struct HostContext {
  HostContext* next;
  struct Context* context;
  char* name;
};

// Of a server it may be used by several isolates: nothing in it changes once it listens.
struct Context {
  SSL_CTX* ssl;
  int64_t uses;                // atomic: those who hold it
  unsigned char* protocols;    // ALPN, as it goes over the wire
  unsigned protocols_size;
  int kept_count;
  KeptSession* kept;           // the latest first
  HostContext* hosts;
};

struct Session : Layer {
  SSL* ssl;
  Context* context;
  char* peer;                  // "host:port", of a client
  X509* refused;               // the certificate of the chain that is not accepted
  int64_t failure;             // -errno of the stream below, 0: none
  LastWords* words;            // of a session that ends: what the stream below does not take
  Unread* early;               // bytes that came before TLS began; null: none
  bool half_sent;              // OpenSSL holds part of a record: what is written next has to be the same
  bool has_begun;              // the handshake was made: after a failure OpenSSL does not know any more
  bool failed;                 // nothing more can be said to the peer
};

inline Session& session_of(Stream& stream) { return *static_cast<Session*>(stream.layer); }

void keep_session(Context& context, const char* peer, SSL_SESSION* session);   // takes it over
SSL_SESSION* take_session(Context& context, const char* peer);                 // owned; null: none

// Why the last call on the session failed.
struct Problem {
  int64_t kind;   // NOT_THE_CERTIFICATE and so on (problems.h)
  char text[700];
};
void describe_problem(Session& session, Problem& problem);
void describe_error(char* to, size_t room, const char* otherwise);   // the latest of OpenSSL's queue, which is emptied

}  // namespace meteor::net

#endif
