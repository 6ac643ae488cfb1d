// What many TLS connections have in common: certificates, whom to trust, protocols, the sessions to go on with.
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/text/c_path.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"
#include "runtime/tls/problems.h"
#include "runtime/tls/tls.h"

namespace meteor::net {

using namespace meteor::text;

// ---- Sessions to go on with ----

constexpr int MOST_KEPT = 256;

static void drop_kept(KeptSession* kept) {
  SSL_SESSION_free(kept->session);
  free(kept->peer);
  free(kept);
}

static KeptSession* unlink_kept(Context& context, const char* peer) {
  for (KeptSession** at = &context.kept; *at != nullptr; at = &(*at)->next) {
    KeptSession* kept = *at;
    if (strcmp(kept->peer, peer) != 0) continue;
    *at = kept->next;
    --context.kept_count;
    return kept;
  }
  return nullptr;
}

void keep_session(Context& context, const char* peer, SSL_SESSION* session) {
  KeptSession* kept = unlink_kept(context, peer);
  if (kept != nullptr) {
    SSL_SESSION_free(kept->session);
  } else {
    kept = static_cast<KeptSession*>(calloc(1, sizeof(KeptSession)));
    kept->peer = strdup(peer);
  }
  kept->session = session;
  kept->next = context.kept;
  context.kept = kept;
  if (++context.kept_count <= MOST_KEPT) return;
  KeptSession** last = &context.kept;
  while ((*last)->next != nullptr) last = &(*last)->next;
  drop_kept(*last);
  *last = nullptr;
  --context.kept_count;
}

// One of TLS 1.3 is used once: whoever listens could tell otherwise that two connections are the same client's.
SSL_SESSION* take_session(Context& context, const char* peer) {
  KeptSession* kept = unlink_kept(context, peer);
  if (kept == nullptr) return nullptr;
  SSL_SESSION* session = kept->session;
  SSL_SESSION_up_ref(session);
  if (SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION) {
    drop_kept(kept);
  } else {
    kept->next = context.kept;
    context.kept = kept;
    ++context.kept_count;
  }
  return session;
}

namespace {

int on_session(SSL* ssl, SSL_SESSION* session) {
  Session* of = static_cast<Session*>(SSL_get_app_data(ssl));
  if (of == nullptr || of->peer == nullptr || !SSL_SESSION_is_resumable(session)) return 0;
  keep_session(*of->context, of->peer, session);
  return 1;
}

// ---- Choices of a server ----

// Its own order counts, not the client's.
int on_protocols(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void* data) {
  const Context* context = static_cast<Context*>(data);
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, context->protocols, context->protocols_size, in, in_size) != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// "*.example.com" is for one name in front of it.
bool is_name(const char* pattern, const char* name) {
  if (strncmp(pattern, "*.", 2) != 0) return strcasecmp(pattern, name) == 0;
  const char* dot = strchr(name, '.');
  return dot != nullptr && dot != name && strcasecmp(pattern + 1, dot) == 0;
}

int on_server_name(SSL* ssl, int*, void* data) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_OK;
  for (HostContext* host = static_cast<Context*>(data)->hosts; host != nullptr; host = host->next) {
    if (!is_name(host->name, name)) continue;
    SSL_CTX* own = host->context->ssl;
    if (SSL_set_SSL_CTX(ssl, own) == nullptr) return SSL_TLSEXT_ERR_ALERT_FATAL;
    SSL_set_verify(ssl, SSL_CTX_get_verify_mode(own), SSL_CTX_get_verify_callback(own));
    break;
  }
  return SSL_TLSEXT_ERR_OK;
}

int on_certificate(int accepted, X509_STORE_CTX* store) {
  if (accepted) return 1;
  SSL* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  Session* session = static_cast<Session*>(SSL_get_app_data(ssl));
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (session != nullptr && session->refused == nullptr && certificate != nullptr && X509_up_ref(certificate) == 1) session->refused = certificate;
  return 0;
}

// ---- Loading ----

bool is_pem(const met_str& text) {
  constexpr char BEGIN[] = "-----BEGIN ";
  return find_bytes(view(text), {reinterpret_cast<const uint8_t*>(BEGIN), sizeof BEGIN - 1}, 0) >= 0;
}

// PEM is taken as it is, anything else is the name of a file. Null: errno says why.
BIO* open_pem(const met_str& text) {
  View bytes = view(text);
  if (is_pem(text)) return BIO_new_mem_buf(bytes.data, int(bytes.size));
  text::CPath path(text);
  errno = 0;
  return path.valid ? BIO_new_file(path.c, "r") : nullptr;
}

int no_password(char*, int, int, void*) { return 0; }

bool load_chain(SSL_CTX* context, BIO* from) {
  X509* own = PEM_read_bio_X509_AUX(from, nullptr, no_password, nullptr);
  bool good = own != nullptr && SSL_CTX_use_certificate(context, own) == 1;
  X509_free(own);
  while (good) {
    X509* next = PEM_read_bio_X509(from, nullptr, no_password, nullptr);
    if (next == nullptr) break;
    good = SSL_CTX_add0_chain_cert(context, next) == 1;
    if (!good) X509_free(next);
  }
  if (good) ERR_clear_error();   // the end of the file is no mistake
  return good;
}

bool load_key(SSL_CTX* context, BIO* from) {
  EVP_PKEY* key = PEM_read_bio_PrivateKey(from, nullptr, no_password, nullptr);
  bool good = key != nullptr && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
  EVP_PKEY_free(key);
  return good;
}

bool load_authorities(SSL_CTX* context, BIO* from) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (X509* authority = PEM_read_bio_X509_AUX(from, nullptr, no_password, nullptr)) {
    count += X509_STORE_add_cert(store, authority) == 1;
    SSL_CTX_add_client_CA(context, authority);   // what clients are asked for
    X509_free(authority);
  }
  if (count > 0) ERR_clear_error();
  return count > 0;
}

int64_t load(SSL_CTX* context, const met_str& certificate, const met_str& key, const met_str& authority, bool verify) {
  struct Part {
    const met_str& from;
    bool (*load)(SSL_CTX*, BIO*);
    int64_t otherwise;
  };
  const Part parts[] = {{certificate, load_chain, BAD_CERTIFICATE}, {size_of(key) > 0 ? key : certificate, load_key, BAD_KEY}, {authority, load_authorities, BAD_AUTHORITY}};
  for (const Part& part : parts) {
    if (size_of(part.from) == 0) continue;
    BIO* from = open_pem(part.from);
    if (from == nullptr) return part.otherwise;
    errno = 0;
    bool good = part.load(context, from);
    BIO_free(from);
    if (!good) return part.otherwise;
  }
  if (size_of(authority) == 0 && verify) SSL_CTX_set_default_verify_paths(context);
  return LOADED;
}

// Every isolate of a server can go on with the sessions of the others: the keys are the process's.
constexpr size_t TICKET_KEY_BYTES = 80;
os::Once ticket_once;
unsigned char ticket_keys[TICKET_KEY_BYTES];
bool has_ticket_keys;
void make_ticket_keys() { has_ticket_keys = RAND_bytes(ticket_keys, sizeof ticket_keys) == 1; }

// A session is good for servers with the same settings alone: one that asks for no certificate must not open another that does.
void set_server_sessions(SSL_CTX* context, const met_str& certificate, const met_str& authority) {
  ticket_once.call(make_ticket_keys);
  if (has_ticket_keys) SSL_CTX_set_tlsext_ticket_keys(context, ticket_keys, sizeof ticket_keys);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  View parts[] = {view(certificate), view(authority)};
  EVP_MD_CTX* hash = EVP_MD_CTX_new();
  if (hash == nullptr) return;
  EVP_DigestInit_ex(hash, EVP_sha256(), nullptr);
  for (const View& part : parts) {
    EVP_DigestUpdate(hash, &part.size, sizeof part.size);
    EVP_DigestUpdate(hash, part.data, size_t(part.size));
  }
  EVP_DigestFinal_ex(hash, digest, &size);
  EVP_MD_CTX_free(hash);
  SSL_CTX_set_session_id_context(context, digest, size < SSL_MAX_SSL_SESSION_ID_LENGTH ? size : SSL_MAX_SSL_SESSION_ID_LENGTH);
}

bool set_protocols(Context& context, bool server, const met_str& protocols) {
  View wire = view(protocols);
  if (wire.size == 0) return true;
  if (!server) return SSL_CTX_set_alpn_protos(context.ssl, wire.data, unsigned(wire.size)) == 0;
  context.protocols = static_cast<unsigned char*>(malloc(size_t(wire.size)));
  if (context.protocols == nullptr) return false;
  context.protocols_size = unsigned(wire.size);
  memcpy(context.protocols, wire.data, size_t(wire.size));
  SSL_CTX_set_alpn_select_cb(context.ssl, on_protocols, &context);
  return true;
}

int verify_mode(bool server, bool verify, bool has_authority) {
  if (!server) return verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE;
  return has_authority ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::net;
using meteor::text::size_of;
using meteor::text::store;

extern "C" {

Context* met_tls_share_context(Context* context) {
  __atomic_add_fetch(&context->uses, 1, __ATOMIC_RELAXED);
  return context;
}

// Ordering: the release of each holder pairs with the acquire of the last one.
void met_tls_free_context(Context* context) {
  if (context == nullptr || __atomic_sub_fetch(&context->uses, 1, __ATOMIC_ACQ_REL) > 0) return;
  while (KeptSession* kept = context->kept) {
    context->kept = kept->next;
    drop_kept(kept);
  }
  while (HostContext* host = context->hosts) {
    context->hosts = host->next;
    met_tls_free_context(host->context);
    free(host->name);
    free(host);
  }
  SSL_CTX_free(context->ssl);
  free(context->protocols);
  free(context);
}

// LOADED: *into is a context. Else which part is wrong, why, and the system's error number.
int64_t met_tls_context(bool server, met_str certificate, met_str key, met_str authority, bool verify, met_str protocols, Context** into, met_str* problem, int64_t* code) {
  ERR_clear_error();
  Context* context = static_cast<Context*>(calloc(1, sizeof(Context)));
  if (context == nullptr) return NO_MEMORY;
  context->uses = 1;
  context->ssl = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
  if (context->ssl == nullptr) {
    met_tls_free_context(context);
    return NO_MEMORY;
  }
  SSL_CTX* ssl = context->ssl;
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_read_ahead(ssl, 1);
  if (server) {
    set_server_sessions(ssl, certificate, authority);
    SSL_CTX_set_tlsext_servername_callback(ssl, on_server_name);
    SSL_CTX_set_tlsext_servername_arg(ssl, context);
  } else {
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ssl, on_session);
  }
  SSL_CTX_set_verify(ssl, verify_mode(server, verify, size_of(authority) > 0), on_certificate);
  int64_t wrong = load(ssl, certificate, key, authority, verify);
  if (wrong == LOADED && !set_protocols(*context, server, protocols)) wrong = NO_MEMORY;
  if (wrong == LOADED) {
    *into = context;
    return LOADED;
  }
  *code = errno;
  char text[200];
  describe_error(text, sizeof text, "it can't be read");
  store(problem, met_str_from_c(text));
  met_tls_free_context(context);
  return wrong;
}

// Clients that ask for this name get the other context's certificate.
void met_tls_add_host(Context* context, met_str name, Context* other) {
  meteor::text::CPath c_name(name);
  HostContext* host = static_cast<HostContext*>(calloc(1, sizeof(HostContext)));
  if (host == nullptr) return;
  host->name = strdup(c_name.c);
  host->context = met_tls_share_context(other);
  host->next = context->hosts;
  context->hosts = host;
}

}  // extern "C"
