#!/usr/bin/env bash
# Fetches what tests/suite.py wants for 64-bit Arm: the cross compiler, qemu, Arm's libraries.
#
# Apt installs the compiler and qemu here. Arm's libraries are only unpacked, into build/arm/root, by an apt whose lists
# and architecture are its own: Debian's Catch2 cannot be installed twice, and what this machine has stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD yes=yes home=$PWD/build/arm
mkdir -p "$home"
# shellcheck source=../tools/install.sh
. tools/install.sh

need=$(printf '%s\n' g++-aarch64-linux-gnu qemu-user | missing)
if [ -n "$need" ]; then
  become_root "${need//$'\n'/ }"
  apt_get "package lists" update
  # shellcheck disable=SC2086
  apt_get "cross compiler and qemu" install -y --no-install-recommends $need
fi

unpack_arm() {  # into build/arm/root; without zlib1g and libpng16-16 their static libraries are what is found
  local apt=$home/apt
  rm -rf "$apt" && mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/archives/partial" "$home/root.part"
  : >"$apt/status"
  find /etc/apt/sources.list.d -name '*.sources' -o -name '*.list' | xargs -r cp -t "$apt/sources"
  backports >"$apt/sources/recto-backports.sources"
  cat >"$apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourceparts "$apt/sources";
END
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$apt/archives"
    apt-get update -q
    fmt=$(apt-cache depends libfmt-dev | awk '$2 ~ /^libfmt[0-9]/ { print $2 }')
    apt-get download -q libfmt-dev $fmt zlib1g-dev libpng-dev libcli11-dev nlohmann-json3-dev "libcatch2-dev=$(catch2_version)"
    for package in *.deb; do dpkg-deb -x "$package" "$home/root.part"; done
  ) >"$home/apt.log" 2>&1 || { tail -n 5 "$home/apt.log"; return 1; }
  mv "$home/root.part" "$home/root"
}
[ -d "$home/root" ] || unpack_arm
