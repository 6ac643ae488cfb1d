# Random scenarios aimed at what safe code promises are refused or run as they should, at -O0 and -O2, with everything that the compiler believed asserted.
# SAFE_FILES=50 SAFE_SEED=7 looks at more of them, SAFE_FAMILIES=narrow,frozen at some rules.
# timeout: 300
set -u
python3 "$METEOR_ROOT/dev/fuzz.py" safe --build "$METEOR_BUILD" --seed "${SAFE_SEED:-1}" --programs "${SAFE_FILES:-1}" --scenarios 24 --seconds 240 --plain --jobs 1 ${SAFE_FAMILIES:+--only "$SAFE_FAMILIES"}
