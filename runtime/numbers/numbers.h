// Numbers to text and back, Python's format specs, arithmetic that is more than one instruction, hashes, random
// numbers.
#ifndef METEOR_RUNTIME_NUMBERS_H
#define METEOR_RUNTIME_NUMBERS_H

#include "runtime/abi/abi.h"
#include "runtime/numbers/random.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- text → number, by Python's rules ----
enum { MET_PARSE_OK = 0, MET_PARSE_INVALID = 1, MET_PARSE_RANGE = 2 };
int64_t met_int_parse(met_str text, int64_t base,
                      int64_t* status);  // base 0 or 2..36; sign, underscores, surrounding space
double met_float_parse(met_str text, bool* ok);  // also inf, infinity, nan

// ---- number → text ----
met_str met_int_text(int64_t value);
met_str met_uint_text(uint64_t value);
met_str met_float_text(double value);  // shortest that reads back the same: 1.0, 1e+16, 1e-05, inf, nan
met_str met_float32_text(float value);
met_str met_int_text_base(int64_t value, int64_t base,
                          met_str prefix);  // lower case; the prefix goes after the sign: hex, oct, bin

// ---- Python's format specs. When *ok becomes false the result is the message of the ValueError to raise. ----
met_str met_format_int(int64_t value, met_str spec, bool* ok);
met_str met_format_uint(uint64_t value, met_str spec, bool* ok);
met_str met_format_float(double value, met_str spec, bool* ok);
met_str met_format_float32(float value, met_str spec, bool* ok);  // differs in what shortest means
met_str met_format_str(met_str value, met_str spec, bool* ok);
// For numbers that the library writes itself: what a spec asks for (type 0 and precision -1 when left out), and its
// digits, with what follows them, laid out by it.
met_str met_format_wants(met_str spec, int64_t* type, int64_t* precision, bool* alternate, bool* ok);
met_str met_format_number(bool negative, met_str digits, met_str rest, met_str spec, bool* ok);

// ---- arithmetic (met_int_pow, met_float_floor_div, met_float_mod, met_float_pow: abi.h) ----
uint32_t met_float32_bits(float value);  // as they are, those of a signalling nan too
float met_float32_from_bits(uint32_t bits);
double met_round_half_even(double x);
double met_round_digits(double x, int64_t digits);  // round(x, digits), correctly rounded as in Python
int64_t met_int_round_digits(int64_t x, int64_t digits,
                             bool* overflow);  // digits < 0: to tens, hundreds…, half to even
int64_t met_int_gcd(int64_t a, int64_t b, bool* overflow);
int64_t met_int_sqrt(int64_t x);                                           // floor; x >= 0
int64_t met_int_pow_mod(int64_t base, int64_t exponent, int64_t modulus);  // exponent >= 0, modulus > 0

// ---- hashes: keyed per process, METEOR_HASH_SEED fixes the key ----
uint64_t met_hash_key(int64_t n);  // n in 0..2: secret words of this process, for hashes written in Meteor
int64_t met_hash_float(double value);  // 0.0 and -0.0 alike
int64_t met_str_hash(met_str s);       // serves bytes too

// ---- random: xoshiro256** ----
void met_random_seed(meteor::numbers::RandomState* state, int64_t seed);
void met_random_seed_system(meteor::numbers::RandomState* state);
int64_t met_random_next(meteor::numbers::RandomState* state);                  // 64 random bits
double met_random_float(meteor::numbers::RandomState* state);                  // [0, 1)
int64_t met_random_below(meteor::numbers::RandomState* state, int64_t limit);  // [0, limit), unbiased; limit > 0
double met_random_gauss(meteor::numbers::RandomState* state);                  // mean 0, deviation 1

#ifdef __cplusplus
}
#endif
#endif
