// libpq for std/db/postgres.met: its asynchronous calls, loaded when a program first opens a PostgreSQL database, and the
// wait for its socket on the isolate's reactor.
//
// Invariant: nothing here blocks but met_pg_load and met_pg_cancel, which are called in threads that may. The socket is
// libpq's: the reactor watches a duplicate.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/db/postgres.h"
#include "runtime/loop/isolate.h"
#include "runtime/net/stream.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/library.h"
#include "runtime/os/sockets.h"
#include "runtime/os/threads.h"

namespace meteor::db {

using namespace meteor::async;

namespace {

// As libpq-fe.h declares them; no program needs that header, only those that open such a database need the library.
struct PGconn;
struct PGresult;
struct PGcancel;
struct ConnectOption {
  char* keyword;
  char* envvar;
  char* compiled;
  char* val;
  char* label;
  char* dispchar;
  int dispsize;
};
using NoticeReceiver = void (*)(void*, const PGresult*);

#define LIBPQ_FUNCTIONS(F) \
  F(ConnectOption*, PQconninfoParse, (const char*, char**)) \
  F(void, PQconninfoFree, (ConnectOption*)) \
  F(void, PQfreemem, (void*)) \
  F(PGconn*, PQconnectStartParams, (const char* const*, const char* const*, int)) \
  F(int, PQconnectPoll, (PGconn*)) \
  F(void, PQfinish, (PGconn*)) \
  F(int, PQsocket, (const PGconn*)) \
  F(int, PQstatus, (const PGconn*)) \
  F(int, PQtransactionStatus, (const PGconn*)) \
  F(int, PQbackendPID, (const PGconn*)) \
  F(int, PQserverVersion, (const PGconn*)) \
  F(char*, PQerrorMessage, (const PGconn*)) \
  F(int, PQsetnonblocking, (PGconn*, int)) \
  F(NoticeReceiver, PQsetNoticeReceiver, (PGconn*, NoticeReceiver, void*)) \
  F(int, PQsendQuery, (PGconn*, const char*)) \
  F(int, PQsendPrepare, (PGconn*, const char*, const char*, int, const uint32_t*)) \
  F(int, PQsendQueryParams, (PGconn*, const char*, int, const uint32_t*, const char* const*, const int*, const int*, int)) \
  F(int, PQsendQueryPrepared, (PGconn*, const char*, int, const char* const*, const int*, const int*, int)) \
  F(int, PQsetSingleRowMode, (PGconn*)) \
  F(int, PQflush, (PGconn*)) \
  F(int, PQconsumeInput, (PGconn*)) \
  F(int, PQisBusy, (PGconn*)) \
  F(PGresult*, PQgetResult, (PGconn*)) \
  F(int, PQputCopyEnd, (PGconn*, const char*)) \
  F(PGcancel*, PQgetCancel, (PGconn*)) \
  F(void, PQfreeCancel, (PGcancel*)) \
  F(int, PQcancel, (PGcancel*, char*, int)) \
  F(int, PQresultStatus, (const PGresult*)) \
  F(char*, PQresultErrorField, (const PGresult*, int)) \
  F(char*, PQresultErrorMessage, (const PGresult*)) \
  F(int, PQntuples, (const PGresult*)) \
  F(int, PQnfields, (const PGresult*)) \
  F(char*, PQfname, (const PGresult*, int)) \
  F(uint32_t, PQftype, (const PGresult*, int)) \
  F(int, PQgetisnull, (const PGresult*, int, int)) \
  F(char*, PQgetvalue, (const PGresult*, int, int)) \
  F(int, PQgetlength, (const PGresult*, int, int)) \
  F(char*, PQcmdTuples, (PGresult*)) \
  F(char*, PQcmdStatus, (PGresult*)) \
  F(void, PQclear, (PGresult*))

struct Library {
#define DECLARE(result, name, parameters) result(*name) parameters;
  LIBPQ_FUNCTIONS(DECLARE)
#undef DECLARE
};

Library pq;
os::Mutex loading;
void* library;
char problem[512];

void note(const char* text) {
  strncpy(problem, text != nullptr ? text : "unknown", sizeof problem - 1);
}

bool load() {
  if (library != nullptr) return true;
  if (!os::can_load_libraries()) return note("a program that is linked statically can't load it"), false;
  void* found = os::load_library("libpq.so.5");
  if (found == nullptr) return note(os::library_problem()), false;
#define FIND(result, name, parameters) \
  pq.name = reinterpret_cast<result(*) parameters>(os::find_in_library(found, #name)); \
  if (pq.name == nullptr) return note(os::library_problem()), false;
  LIBPQ_FUNCTIONS(FIND)
#undef FIND
  library = found;
  return true;
}

// Notices are not printed. `is_ended` is a bool of whoever wants to know of the last words of a server, or null.
void hear(void* is_ended, const PGresult* notice) {
  if (is_ended == nullptr) return;
  const char* severity = pq.PQresultErrorField(notice, 'V');
  if (severity != nullptr && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0)) *static_cast<bool*>(is_ended) = true;
}

enum { POLLING_FAILED, POLLING_READING, POLLING_WRITING, POLLING_OK };

// What a wait for the socket needs; libpq may have opened another since the last.
int64_t watch(PGconn* connection, Source& source) {
  close_copy(source);
  int64_t fd = os::copy_descriptor(pq.PQsocket(connection));
  if (fd < 0) return fd;
  open_source(source, int(fd), 0);
  source.ready = 0;
  return watch_source(source);
}

// libpq tells it in words alone.
int64_t why_failed(PGconn* connection) {
  char room[256];
  const char* words = strerror_r(EAGAIN, room, sizeof room);
  return strstr(pq.PQerrorMessage(connection), words) != nullptr ? FULL_LINE : FAILED_CONNECTION;
}

struct Parameters {
  int count;
  const char** values;
  int* lengths;
  int* formats;
};

// From std/db/postgres.met: of each the format (-1: null, 0: text, 1: bytes), its size, its bytes and a NUL.
Parameters read_parameters(const uint8_t* packed, int64_t count) {
  Parameters given = {int(count), nullptr, nullptr, nullptr};
  if (count == 0) return given;
  given.values = static_cast<const char**>(calloc(size_t(count), sizeof(char*) + 2 * sizeof(int)));
  if (given.values == nullptr) met_panic("out of memory");
  given.lengths = reinterpret_cast<int*>(given.values + count);
  given.formats = given.lengths + count;
  for (int64_t i = 0; i < count; ++i) {
    int64_t head[2];
    memcpy(head, packed, sizeof head);
    packed += sizeof head;
    if (head[0] < 0) continue;
    given.formats[i] = int(head[0]);
    given.lengths[i] = int(head[1]);
    given.values[i] = reinterpret_cast<const char*>(packed);
    packed += head[1] + 1;
  }
  return given;
}

// std holds handles as numbers, which may go to a thread of the blocking pool.
int64_t handle_of(const void* object) { return int64_t(reinterpret_cast<uintptr_t>(object)); }
PGconn* connection_at(int64_t handle) { return reinterpret_cast<PGconn*>(handle); }
PGresult* result_at(int64_t handle) { return reinterpret_cast<PGresult*>(handle); }
PGcancel* cancel_at(int64_t handle) { return reinterpret_cast<PGcancel*>(handle); }
// Texts that end in a zero.
const char* text_at(const uint8_t* memory) { return reinterpret_cast<const char*>(memory); }
uint8_t* memory_of(const char* text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text)); }

}  // namespace

extern "C" {

bool met_pg_load() {
  loading.lock();
  bool is_there = load();
  loading.unlock();
  return is_there;
}

uint8_t* met_pg_load_problem() { return memory_of(problem); }

// ---- connecting ----

// The value of a keyword in the address; null when it is not in it. With *problem, which is the caller's, when the address is wrong.
uint8_t* met_pg_keyword(uint8_t* address, uint8_t* keyword, uint8_t** wrong) {
  *wrong = nullptr;
  ConnectOption* options = pq.PQconninfoParse(text_at(address), reinterpret_cast<char**>(wrong));
  if (options == nullptr) return nullptr;
  char* value = nullptr;
  for (ConnectOption* option = options; option->keyword != nullptr; ++option)
    if (strcmp(option->keyword, text_at(keyword)) == 0 && option->val != nullptr) value = strdup(option->val);
  pq.PQconninfoFree(options);
  return memory_of(value);
}

void met_pg_free_problem(uint8_t* wrong) { pq.PQfreemem(wrong); }

// The lists go with each other, one entry per address to try; empty: as the address says.
int64_t met_pg_start(const uint8_t* address, const uint8_t* hosts, const uint8_t* addresses, const uint8_t* ports) {
  const char* keywords[] = {"gssencmode", "fallback_application_name", "dbname", "client_encoding", "host", "hostaddr", "port", nullptr};
  const char* values[] = {"disable", "meteor", text_at(address), "UTF8", text_at(hosts), text_at(addresses), text_at(ports), nullptr};
  if (*hosts == 0) keywords[4] = nullptr;
  PGconn* connection = pq.PQconnectStartParams(keywords, values, 1);
  if (connection == nullptr) met_panic("out of memory");
  pq.PQsetNoticeReceiver(connection, hear, nullptr);
  return handle_of(connection);
}

// READY: connected.
int64_t met_pg_connect(int64_t connection, Source* source, bool is_first) {
  if (is_first && pq.PQstatus(connection_at(connection)) == 1) return why_failed(connection_at(connection));
  int step = is_first ? POLLING_WRITING : pq.PQconnectPoll(connection_at(connection));
  if (step == POLLING_FAILED) return why_failed(connection_at(connection));
  if (step == POLLING_OK) {
    pq.PQsetnonblocking(connection_at(connection), 1);
    return watch(connection_at(connection), *source) < 0 ? FAILED_CONNECTION : int64_t(READY);
  }
  if (watch(connection_at(connection), *source) < 0) return FAILED_CONNECTION;
  return step == POLLING_READING ? WAITS_TO_READ : WAITS_TO_WRITE;
}

bool met_pg_is_ready(Source* source, bool writing) { return (source->ready & (writing ? READY_WRITE : READY_READ)) != 0 || source->fd < 0; }

void met_pg_finish(int64_t connection) { pq.PQfinish(connection_at(connection)); }
uint8_t* met_pg_message(int64_t connection) { return memory_of(pq.PQerrorMessage(connection_at(connection))); }
bool met_pg_is_broken(int64_t connection) { return pq.PQstatus(connection_at(connection)) != 0; }
int64_t met_pg_transaction(int64_t connection) { return pq.PQtransactionStatus(connection_at(connection)); }

// An idle connection says nothing, unless the server has ended it.
bool met_pg_is_alive(int64_t connection) {
  int socket = pq.PQsocket(connection_at(connection));
  bool is_ended = false;
  pq.PQsetNoticeReceiver(connection_at(connection), hear, &is_ended);
  while (meteor::os::is_ready(socket, READY_READ))
    if (!pq.PQconsumeInput(connection_at(connection))) break;
  pq.PQisBusy(connection_at(connection));   // reads what has come
  pq.PQsetNoticeReceiver(connection_at(connection), hear, nullptr);
  return pq.PQstatus(connection_at(connection)) == 0 && !is_ended;
}

// ---- asking ----

bool met_pg_send_script(int64_t connection, uint8_t* sql) { return pq.PQsendQuery(connection_at(connection), text_at(sql)) == 1; }
bool met_pg_send_prepare(int64_t connection, uint8_t* name, uint8_t* sql) { return pq.PQsendPrepare(connection_at(connection), text_at(name), text_at(sql), 0, nullptr) == 1; }

// With a name: what has been prepared by it.
bool met_pg_send(int64_t connection, uint8_t* name, uint8_t* sql, uint8_t* packed, int64_t count, bool row_by_row) {
  Parameters given = read_parameters(packed, count);
  int sent = *name != 0 ? pq.PQsendQueryPrepared(connection_at(connection), text_at(name), given.count, given.values, given.lengths, given.formats, 0)
                        : pq.PQsendQueryParams(connection_at(connection), text_at(sql), given.count, nullptr, given.values, given.lengths, given.formats, 0);
  free(given.values);
  if (sent == 1 && row_by_row) pq.PQsetSingleRowMode(connection_at(connection));
  return sent == 1;
}

// Whether met_pg_result would wait. The kernel tells changes only, so it is asked before WAIT is said.
int64_t met_pg_poll(int64_t connection) {
  while (true) {
    int unsent = pq.PQflush(connection_at(connection));
    if (!pq.PQisBusy(connection_at(connection))) return READY;   // also when it is broken: the result says why
    int socket = pq.PQsocket(connection_at(connection));
    if (socket < 0) return READY;
    if (!meteor::os::is_ready(socket, READY_READ | (unsent == 1 ? READY_WRITE : 0))) return net::WAIT;
    pq.PQconsumeInput(connection_at(connection));
  }
}

int64_t met_pg_result(int64_t connection) { return handle_of(pq.PQgetResult(connection_at(connection))); }
void met_pg_refuse_copy(int64_t connection) { pq.PQputCopyEnd(connection_at(connection), "COPY FROM STDIN is not supported"); }

int64_t met_pg_cancel_handle(int64_t connection) { return handle_of(pq.PQgetCancel(connection_at(connection))); }

bool met_pg_cancel(int64_t handle) {
  char text[256];
  bool is_sent = pq.PQcancel(cancel_at(handle), text, sizeof text) == 1;
  pq.PQfreeCancel(cancel_at(handle));
  return is_sent;
}

// ---- answers ----

int64_t met_pg_status(int64_t result) { return pq.PQresultStatus(result_at(result)); }
uint8_t* met_pg_field(int64_t result, int64_t code) { return memory_of(pq.PQresultErrorField(result_at(result), int(code))); }
uint8_t* met_pg_result_message(int64_t result) { return memory_of(pq.PQresultErrorMessage(result_at(result))); }
int64_t met_pg_rows(int64_t result) { return pq.PQntuples(result_at(result)); }
int64_t met_pg_columns(int64_t result) { return pq.PQnfields(result_at(result)); }
uint8_t* met_pg_column_name(int64_t result, int64_t column) { return memory_of(pq.PQfname(result_at(result), int(column))); }
int64_t met_pg_column_type(int64_t result, int64_t column) { return pq.PQftype(result_at(result), int(column)); }
bool met_pg_is_null(int64_t result, int64_t row, int64_t column) { return pq.PQgetisnull(result_at(result), int(row), int(column)) != 0; }
uint8_t* met_pg_value(int64_t result, int64_t row, int64_t column) { return memory_of(pq.PQgetvalue(result_at(result), int(row), int(column))); }
int64_t met_pg_size(int64_t result, int64_t row, int64_t column) { return pq.PQgetlength(result_at(result), int(row), int(column)); }
int64_t met_pg_int(int64_t result, int64_t row, int64_t column) { return strtoll(pq.PQgetvalue(result_at(result), int(row), int(column)), nullptr, 10); }
double met_pg_float(int64_t result, int64_t row, int64_t column) { return strtod(pq.PQgetvalue(result_at(result), int(row), int(column)), nullptr); }

// Rows that were read count for nothing.
int64_t met_pg_changed(int64_t result) {
  const char* done = pq.PQcmdStatus(result_at(result));
  if (strncmp(done, "SELECT", 6) == 0 || strncmp(done, "FETCH", 5) == 0 || strncmp(done, "MOVE", 4) == 0) return 0;
  return strtoll(pq.PQcmdTuples(result_at(result)), nullptr, 10);
}

void met_pg_clear(int64_t result) { pq.PQclear(result_at(result)); }

}  // extern "C"

}  // namespace meteor::db
