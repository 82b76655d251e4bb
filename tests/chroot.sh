#!/usr/bin/env bash
# Makes a folder with a Debian in it and the newest compilers of its archive: tests/chroot.sh SUITE FOLDER
#
# SUITE is the name of a release, such as trixie (Debian 13). Package sources, proxies and certificates are those of this
# machine. The last line names the compilers, as in `g++-14 clang++-19`; a folder that is complete is only asked for it.
# Exit 3, and the reason as the last line, where this machine cannot make one: no root, no apt, no network.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 2 ] || { echo "usage: tests/chroot.sh SUITE FOLDER" >&2; exit 2; }
suite=$1 folder=$2 part=$2.part

cannot() { echo "$*"; exit 3; }
step() {  # step WHAT COMMAND...: what it says goes to FOLDER.log
  local what=$1; shift
  "$@" >>"$folder.log" 2>&1 </dev/null || cannot "$what failed: $(tail -n 1 "$folder.log")"
}
inside() { chroot "$part" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
newest() {  # newest NAME: the highest N for which there is a package NAME-N
  inside apt-cache pkgnames "$1-" | sed -n "s/^$1-\([0-9]*\)$/\1/p" | sort -n | tail -n 1
}

if [ ! -e "$folder" ]; then
  [ "$(id -u)" = 0 ] || cannot "only root can make a chroot"
  command -v apt-get >/dev/null || cannot "this system has no apt"
  mkdir -p "$(dirname "$folder")"
  : >"$folder.log"
  mapfile -t sources < <(find /etc/apt -path '*/sources.list' -o -path '*/sources.list.d/*.list' -o -path '*/sources.list.d/*.sources')
  mirror=$(cat "${sources[@]}" | grep -v '^#' | grep -oE 'https?://[^ ]+' | grep -v security | head -n 1) ||
    cannot "apt names no archive here"
  command -v debootstrap >/dev/null || step "installing debootstrap" apt-get install -y -q --no-install-recommends debootstrap
  rm -rf --one-file-system "$part"
  step "debootstrap" debootstrap --variant=minbase "$suite" "$part" "$mirror"
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  rm -f "$part/etc/apt/sources.list"
  for file in "${sources[@]}"; do sed "s/\b$codename\b/$suite/g" "$file" >"$part/etc/apt/${file#/etc/apt/}"; done
  # Proxies and certificates: without them the packages may not be within reach.
  grep -lsi '^ *Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d/* | xargs -r cp -t "$part/etc/apt/apt.conf.d" || true  # grep finds none where nothing is set
  cp /etc/resolv.conf "$part/etc"
  mkdir -p "$part/etc/ssl/certs"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$part/etc/ssl/certs"
  step "apt-get update" inside apt-get update -q -o APT::Update::Error-Mode=any
  gcc=$(newest g++) clang=$(newest clang)
  mapfile -t packages < <(awk '$1 != "ranks" && $2 ~ /^(cmake|ninja-build|python3|catch2|.*-dev)$/ { print $2 }' tools/packages.txt)
  step "apt-get install" inside apt-get install -y -q --no-install-recommends git "${packages[@]}" \
    "g++-$gcc" "clang-$clang" "libc++-$clang-dev" "libc++abi-$clang-dev"
  inside apt-get clean
  echo "g++-$gcc clang++-$clang" >"$part/compilers"
  mv "$part" "$folder"
fi
cat "$folder/compilers" || cannot "$folder is there, but was not made by tests/chroot.sh"
