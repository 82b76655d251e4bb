# Packages of the distribution, for ./recto (which sources this file with root, yes and ranks set).
# shellcheck shell=sh disable=SC2154

note() { printf 'recto: %s\n' "$*" >&2; }
die() { note "$*"; exit 1; }

# The packages of these groups, one a line, each once.
packages() {
    awk -v groups=" $* " '/^[^#]/ && index(groups, " " $1 " ") && !seen[$2]++ { print $2 }' "$root/tools/packages.txt"
}

# Which of the packages named on standard input are not installed (catch2 counts from version 3).
missing() {
    wanted=$(cat)
    # shellcheck disable=SC2086
    here=$(dpkg-query -W -f '${Package} ${db:Status-Status} ${Version}\n' $wanted 2>/dev/null |
        awk '$2 == "installed" && !($1 == "catch2" && $3 ~ /^[012][.]/) { print $1 }')
    for package in $wanted; do
        printf '%s\n' "$here" | grep -qxF -e "$package" || printf '%s\n' "$package"
    done
}

container_line() {
    printf "    docker run --rm -it -v '%s':/recto -w /recto debian:12 ./recto %s\n" "$root" "$1" >&2
}

# install_for SUBCOMMAND: everything it needs is here when this returns.
install_for() {
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        note "this system has no apt; in a container of Debian 12 everything is the same:"
        container_line "$1"
        exit 1
    fi
    no_catch=$root/build/no-catch2
    case $1 in
        run) groups=run; [ "$ranks" = no ] || groups="run ranks" ;;
        bench | parity | carry | inspect | generate | quiz) groups=run ;;
        book) groups="run book"; [ -e "$no_catch" ] || groups="$groups test" ;;
        test) groups="run test exercises" ;;
        grade | watch) groups=exercises ;;
        install) groups="run book test exercises" ;;
    esac
    # shellcheck disable=SC2086
    need=$(packages $groups | missing)
    [ -n "$need" ] || return 0
    if [ "$groups" = exercises ] && command -v g++ >/dev/null 2>&1 && ! can_be_root; then
        return 0     # grading works without the others; every report says how well programs are kept apart
    fi
    mkdir -p "$root/build"
    note "needs these packages of this system's distribution:"
    printf '%s\n' "$need" | tr '\n' ' ' | fold -s -w 96 | sed 's/^/    /' >&2
    printf '\n' >&2
    plain=$(printf '%s\n' "$need" | grep -vx catch2 | tr '\n' ' ')
    become_root "$plain"
    [ -n "$need" ] || return 0
    if [ "$yes" = no ] && [ -t 0 ]; then
        printf 'recto: install them now? [Y/n] ' >&2
        read -r answer || answer=n
        case $answer in [nN]*) die "nothing was installed" ;; esac
    fi
    started=$(date +%s)
    apt_get "package lists" update || note "the package lists could not be renewed; going on with those that are here"
    as_root dpkg --configure -a >/dev/null 2>&1 || :                      # an interrupted first try
    # shellcheck disable=SC2086
    if [ -n "$plain" ] && ! apt_get "packages" install -y --no-install-recommends $plain; then
        note "the packages could not be installed; in a container of Debian 12 they can:"
        container_line "$1"
        exit 1
    fi
    case $need in *catch2*) install_catch2 "$1" ;; esac
    note "installed in $(($(date +%s) - started)) s"
}

can_be_root() {
    [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

# Sets sudo to what makes a command root's, or prints the line that root must run.
become_root() {
    sudo=
    [ "$(id -u)" = 0 ] && return 0
    if can_be_root; then
        sudo=sudo
        return 0
    fi
    if [ -z "$1" ]; then     # only catch2 is missing: the tests' own affair
        case $groups in "run test"*) ;; *) forgo_catch2 "installing it needs root"; return 0 ;; esac
    fi
    note "installing needs root, and sudo is missing; as root, run:"
    case $need in
        *catch2*) printf "    '%s/recto' install --yes\n" "$root" >&2 ;;
        *) printf '    apt-get update && apt-get install -y --no-install-recommends %s\n' "$1" >&2 ;;
    esac
    exit 1
}

as_root() { $sudo env DEBIAN_FRONTEND=noninteractive "$@"; }

# apt_get WHAT ARGUMENTS: shows its own progress on a terminal, else only what went wrong.
apt_get() {
    what=$1
    shift
    set -- apt-get -o DPkg::Lock::Timeout=300 "$@"
    if [ -t 2 ]; then
        as_root "$@" >&2
    else
        note "$what ..."
        as_root "$@" >"$root/build/install.log" 2>&1 || { tail -n 5 "$root/build/install.log" >&2; return 1; }
    fi
}

catch2_version() { apt-cache madison catch2 2>/dev/null | awk '$3 !~ /^[012][.]/ { print $3; exit }'; }

# Version 3 of catch2: from the lists that are here, or else from the release's backports.
install_catch2() {
    list=/etc/apt/sources.list.d/recto-backports.sources
    added=no
    if [ -z "$(catch2_version)" ]; then
        backports >"$root/build/recto-backports.sources"
        if [ -s "$root/build/recto-backports.sources" ]; then
            added=yes
            as_root cp "$root/build/recto-backports.sources" "$list"
            as_root chmod 644 "$list"
            apt_get "backports" update -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=- \
                -o APT::Get::List-Cleanup=0 || :
        fi
    fi
    version=$(catch2_version)
    if [ -n "$version" ] && apt_get "catch2" install -y --no-install-recommends "catch2=$version"; then
        rm -f "$no_catch"
        return 0
    fi
    [ $added = no ] || as_root rm -f "$list"
    forgo_catch2 "neither the distribution nor its backports has it"
    [ "$1" != test ] || die "recto test needs Catch2 3; everything else works without it"
}

forgo_catch2() {
    note "going on without Catch2 3: $1; what tests prove will be shown as not run"
    printf '%s\n' "$1" >"$no_catch"
    need=$(printf '%s\n' "$need" | grep -vx catch2 || :)
}

# The source of this release's backports, written like the machine's own source of the release.
backports() {
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    [ -n "$codename" ] || return 0
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
        [ ! -r "$file" ] || cat "$file"
        echo
    done | awk -v code="$codename" -f "$root/tools/backports.awk"
}

# What `recto doctor` can say on a machine that has no Python yet.
doctor_without_python() {
    command -v dpkg-query >/dev/null 2>&1 || die "this system has no apt and no python3; see README.md"
    echo "python3 is not here yet. Missing packages:"
    for group in run book test exercises; do
        printf '  for %-9s %s\n' "$group:" "$(packages $group | missing | tr '\n' ' ')"
    done
    echo "./recto book installs them."
}
