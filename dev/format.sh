#!/usr/bin/env bash
# Formats the tree: C++ with clang-format 19, Meteor with build/bin/meteor fmt. --check only says which files would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t cpp < <(find compiler runtime tools fuzz -name '*.cpp' -o -name '*.h')
# tests/run/source shows odd layouts on purpose.
mapfile -t met < <(find std examples tests/run -name '*.met' -not -path 'tests/run/source/*' | sort)
case ${1:-} in
    --check)
        code=0
        clang-format-19 --dry-run --Werror "${cpp[@]}" || code=1
        build/bin/meteor fmt --check "${met[@]}" || code=1
        exit $code ;;
    '')
        clang-format-19 -i "${cpp[@]}"
        build/bin/meteor fmt "${met[@]}" ;;
    *) echo "x fmt: only --check is understood" >&2; exit 2 ;;
esac
