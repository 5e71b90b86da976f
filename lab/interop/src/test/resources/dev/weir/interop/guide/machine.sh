#!/bin/bash
# A machine for a guide: files, processes and network of its own, over the files of this machine.
# machine.sh SCRATCH PROGRAMS, inside of unshare. SCRATCH has bin (programs of the test), blocks (the commands of the guide, one file each).
# PROGRAMS has what .ci/run unpacks because it cannot be installed beside the rest.
set -eu
scratch=$1
ip link set lo up
hostname mx.example.org
mkdir "$scratch/layers"
mount -t tmpfs tmpfs "$scratch/layers"
for folder in etc var home srv usr; do
    mkdir -p "$scratch/layers/$folder/upper" "$scratch/layers/$folder/work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$scratch/layers/$folder/upper,workdir=$scratch/layers/$folder/work" "/$folder"
done
mount -t tmpfs tmpfs /run
# spamd looks up who connects, and nobody answers a question over DNS here.
printf '127.0.0.1 localhost\n::1 localhost\n' > /etc/hosts
printf 'nameserver 127.0.0.1\n' > /etc/resolv.conf
mkdir -p /run/lock /var/mail
export PATH=$scratch/bin:$PATH SCRATCH=$scratch PROGRAMS=$2 HOME=/home
mkdir "$scratch/typed"
cd "$scratch/typed"
touch weir_0_all.deb
trap 'cat "$block.out"; tail -n 30 /var/log/weir.log /var/log/spamd.log || true' EXIT
for block in "$scratch"/blocks/*; do
    printf '== %s\n' "$(basename "$block")"
    # One shell types in all blocks, so that its variables stay. The first command that fails ends it.
    # shellcheck source=/dev/null
    . "$block" > "$block.out" 2>&1
done
trap - EXIT
echo done
