# Sourced by x. ensure_packages installs what dev/packages.txt names and the machine lacks; with everything present it costs
# one dpkg-query and never calls apt.

missing_packages() {
    local wanted=() installed name
    while read -r name; do
        [[ -z $name || $name == '#'* ]] || wanted+=("$name")
    done <"$ROOT/dev/packages.txt"
    installed=$'\n'$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null)$'\n'
    for name in "${wanted[@]}"; do
        [[ $installed == *$'\n'"$name installed"$'\n'* ]] || printf '%s\n' "$name"
    done
}

# On a terminal one line that changes; in a log a line per hundred steps.
show_apt_progress() {
    local line steps=0 end='\n'
    [[ -t 2 ]] && end='\033[K\r'
    while read -r line; do
        case $line in
            Get:* | Unpacking* | 'Setting up'*)
                steps=$((steps + 1))
                [[ -t 2 || $((steps % 100)) == 0 ]] && printf "    %.70s$end" "$line" >&2 ;;
        esac
    done
    return 0
}

ensure_packages() {
    if ! command -v dpkg-query >/dev/null; then
        local tool
        for tool in cmake ninja python3; do
            command -v "$tool" >/dev/null ||
                die "'$tool' is not installed, and this is no Debian, so ./x can't install it. What is needed: dev/packages.txt"
        done
        return 0
    fi
    local missing as_root=() log
    missing=$(missing_packages)
    [[ -z $missing ]] && return 0
    missing=${missing//$'\n'/ }
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root=(sudo -n) ||
            die "packages are missing and neither root nor passwordless sudo is at hand. Run:
    apt-get install --no-install-recommends $missing"
    fi
    say "installing: $missing"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } </dev/null 2>&1 |
            tee "$log" | show_apt_progress; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: $missing"
    fi
    rm -f "$log"
}
