#!/usr/bin/env bash
# Formats the C++ of the tree with clang-format 19; --check only says which files would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t files < <(find compiler runtime tools -name '*.cpp' -o -name '*.h')
[[ ${#files[@]} -gt 0 ]] || exit 0
case ${1:-} in
    --check) exec clang-format-19 --dry-run --Werror "${files[@]}" ;;
    '') exec clang-format-19 -i "${files[@]}" ;;
    *) echo "x fmt: only --check is understood" >&2; exit 2 ;;
esac
