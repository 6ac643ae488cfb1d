// What is wrong with a TLS connection or with the other side's certificate, in words a person can act on.
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/os/sockets.h"
#include "runtime/tls/problems.h"
#include "runtime/tls/tls.h"

namespace meteor::net {

namespace {

struct Text {
  char* at;
  size_t room;
  void add(const char* part, size_t size) {
    if (size >= room) size = room - 1;
    memcpy(at, part, size);
    at += size;
    room -= size;
    *at = 0;
  }
  void add(const char* part) { add(part, strlen(part)); }
};

void add_common_name(Text& text, X509_NAME* name) {
  char common[200] = "";
  if (X509_NAME_get_text_by_NID(name, NID_commonName, common, sizeof common) < 0) X509_NAME_oneline(name, common, sizeof common);
  text.add(common);
}

void add_address(Text& text, const ASN1_OCTET_STRING* address) {
  char shown[64];
  int size = ASN1_STRING_length(address);
  if (size != 4 && size != 16) return text.add("an address of no known kind");   // a stranger made it
  text.add(os::show_ip(ASN1_STRING_get0_data(address), size_t(size), shown, sizeof shown));
}

// The names a certificate is for, separated by commas.
void add_names(Text& text, X509* certificate) {
  GENERAL_NAMES* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  bool any = false;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    if (any) text.add(", ");
    any = true;
    if (name->type == GEN_IPADD) add_address(text, name->d.iPAddress);
    else text.add(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)), size_t(ASN1_STRING_length(name->d.dNSName)));
  }
  GENERAL_NAMES_free(names);
  if (!any) add_common_name(text, X509_get_subject_name(certificate));
}

void add_time(Text& text, const ASN1_TIME* time) {
  tm parts = {};
  char shown[40] = "a time that can't be read";
  if (ASN1_TIME_to_tm(time, &parts) == 1) strftime(shown, sizeof shown, "%Y-%m-%d %H:%M:%S UTC", &parts);
  text.add(shown);
}

int64_t describe_certificate(Text text, X509* certificate, long result) {
  switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      text.add("it is for ");
      add_names(text, certificate);
      text.add(", not for this host");
      return WRONG_HOST;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      text.add("it expired on ");
      add_time(text, X509_get0_notAfter(certificate));
      return EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      text.add("it is not valid before ");
      add_time(text, X509_get0_notBefore(certificate));
      return NOT_YET_VALID;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      text.add("it is self-signed, by ");
      add_common_name(text, X509_get_issuer_name(certificate));
      return SELF_SIGNED;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      text.add("its authority is unknown: ");
      add_common_name(text, X509_get_issuer_name(certificate));
      return UNKNOWN_AUTHORITY;
    default:
      text.add(X509_verify_cert_error_string(result));
      return REFUSED;
  }
}

}  // namespace

void describe_error(char* to, size_t room, const char* otherwise) {
  unsigned long code = ERR_peek_last_error();
  const char* reason = code != 0 && !ERR_SYSTEM_ERROR(code) ? ERR_reason_error_string(code) : nullptr;
  snprintf(to, room, "%s", reason != nullptr ? reason : otherwise);
  ERR_clear_error();
}

void describe_problem(Session& session, Problem& problem) {
  long result = SSL_get_verify_result(session.ssl);
  unsigned long code = ERR_peek_last_error();
  int reason = ERR_GET_REASON(code);
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && session.refused != nullptr) {
    problem.kind = describe_certificate({problem.text, sizeof problem.text}, session.refused, result);
  } else if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
    problem.kind = MISSING;
    snprintf(problem.text, sizeof problem.text, "the other side has none");
  } else if (reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
    const char* text = ERR_reason_error_string(code);   // "tlsv1 alert unknown ca"
    const char* alert = text != nullptr ? strstr(text, "alert ") : nullptr;
    snprintf(problem.text, sizeof problem.text, "the other side refused: %s", alert != nullptr ? alert + 6 : SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
  } else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
    snprintf(problem.text, sizeof problem.text, "the other side does not speak TLS");
  } else if (code == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    snprintf(problem.text, sizeof problem.text, session.has_begun ? "the connection ended without saying so: something may be missing" : "the connection ended during the handshake");
  } else {
    describe_error(problem.text, sizeof problem.text, "TLS failed");
  }
  ERR_clear_error();
}

}  // namespace meteor::net
