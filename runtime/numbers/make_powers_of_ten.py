#!/usr/bin/env python3
"""Writes powers_of_ten.def: 10^k for k in [-292, 324] as the 128 leading bits, rounded up (see shortest.cpp)."""
from fractions import Fraction

print("// Written by make_powers_of_ten.py: POWER(high, low) for 10^-292 … 10^324, 128 leading bits, rounded up.")
for k in range(-292, 325):
    power = Fraction(10) ** k
    exponent = (k * 1741647) >> 19            # floor(log2(10^k))
    assert Fraction(2) ** exponent <= power < Fraction(2) ** (exponent + 1)
    scaled = power * Fraction(2) ** (127 - exponent)
    g = scaled.numerator // scaled.denominator + 1
    if g >= 2**128:
        raise SystemExit("does not fit")
    print(f"POWER(0x{g >> 64:016x}, 0x{g & (2**64 - 1):016x})")
