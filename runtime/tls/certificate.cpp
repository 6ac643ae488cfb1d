// Makes keys and certificates, signed by themselves or by an authority made here before: for tests, for development, and for
// programs that know each other.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#include "runtime/text/c_path.h"
#include "runtime/text/view.h"
#include "runtime/tls/tls.h"

namespace meteor::net {

using namespace meteor::text;

namespace {

// An authority: what signs.
struct Signer {
  X509* certificate;
  EVP_PKEY* key;
};

BIO* bytes_bio(const met_str& text) {
  View bytes = view(text);
  return BIO_new_mem_buf(bytes.data, int(bytes.size));
}

Signer read_signer(const met_str& certificate, const met_str& key) {
  BIO* certificate_bytes = bytes_bio(certificate);
  BIO* key_bytes = bytes_bio(key);
  Signer signer = {PEM_read_bio_X509(certificate_bytes, nullptr, nullptr, nullptr), PEM_read_bio_PrivateKey(key_bytes, nullptr, nullptr, nullptr)};
  BIO_free(certificate_bytes);
  BIO_free(key_bytes);
  return signer;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  if (extension == nullptr) return false;
  bool good = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return good;
}

bool set_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(bytes, sizeof bytes, nullptr);
  bool good = number != nullptr && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return good;
}

struct Wanted {
  const char* name;      // the common one
  const char* names;     // "DNS:localhost,IP:127.0.0.1", empty: of an authority
  int64_t from, until;   // seconds since 1970
};

bool fill(X509* certificate, EVP_PKEY* key, const Wanted& wanted, const Signer& signer) {
  X509_set_version(certificate, X509_VERSION_3);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509* issuer = signer.certificate != nullptr ? signer.certificate : certificate;
  bool is_authority = wanted.names[0] == 0;
  if (!set_serial(certificate)) return false;
  if (ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(wanted.from)) == nullptr) return false;
  if (ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(wanted.until)) == nullptr) return false;
  if (X509_set_pubkey(certificate, key) != 1) return false;
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(wanted.name), -1, -1, 0) != 1) return false;
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1) return false;
  if (!add_extension(certificate, issuer, NID_basic_constraints, is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE")) return false;
  if (!add_extension(certificate, issuer, NID_key_usage, is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature")) return false;
  if (!add_extension(certificate, issuer, NID_subject_key_identifier, "hash")) return false;
  if (!is_authority && !add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth")) return false;
  if (!is_authority && !add_extension(certificate, issuer, NID_subject_alt_name, wanted.names)) return false;
  return X509_sign(certificate, signer.key != nullptr ? signer.key : key, EVP_sha256()) > 0;
}

met_str text_of(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  met_str text = make(reinterpret_cast<uint8_t*>(data), size);
  BIO_free(bio);
  return text;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::net;
using meteor::text::size_of;
using meteor::text::store;

extern "C" {

// Both as PEM. False: *problem says why.
bool met_tls_make_certificate(met_str name, met_str names, int64_t from, int64_t until, met_str signer_certificate, met_str signer_key, met_str* certificate_into, met_str* key_into, met_str* problem) {
  ERR_clear_error();
  meteor::text::CPath c_name(name), c_names(names);
  Signer signer = {};
  bool good = c_name.valid && c_names.valid;
  if (size_of(signer_certificate) > 0) {
    signer = read_signer(signer_certificate, signer_key);
    good = good && signer.certificate != nullptr && signer.key != nullptr;
  }
  EVP_PKEY* key = good ? EVP_EC_gen("P-256") : nullptr;
  X509* certificate = X509_new();
  good = key != nullptr && certificate != nullptr && fill(certificate, key, {c_name.c, c_names.c, from, until}, signer);
  if (good) {
    BIO* certificate_text = BIO_new(BIO_s_mem());
    BIO* key_text = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(certificate_text, certificate);
    PEM_write_bio_PrivateKey(key_text, key, nullptr, nullptr, 0, nullptr, nullptr);
    store(certificate_into, text_of(certificate_text));
    store(key_into, text_of(key_text));
  } else {
    char text[200];
    describe_error(text, sizeof text, "it can't be made");
    store(problem, met_str_from_c(text));
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
  X509_free(signer.certificate);
  EVP_PKEY_free(signer.key);
  return good;
}

}  // extern "C"
