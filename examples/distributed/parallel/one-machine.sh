#!/bin/bash
# Runs `run.sh` against this machine alone: an sshd of our own, on a port of its own, with keys made for the occasion.
# Needs root, and Debian's packages parallel and openssh-server. The machine goes by several names, so that parallel takes it
# for several.
#
#   one-machine.sh PROGRAM ARCHIVE SHARDS WORK WORKERS
set -eu
program=$(realpath "$1") archive=$(realpath "$2") shards=$3 work=$4 workers=$5
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work" /run/sshd
work=$(cd "$work" && pwd)
chmod 700 "$work"
ssh-keygen -q -t ed25519 -N '' -f "$work/host" <<< y > /dev/null
ssh-keygen -q -t ed25519 -N '' -f "$work/user" <<< y > /dev/null
cp "$work/user.pub" "$work/authorized"
$(command -v sshd || echo /usr/sbin/sshd) -D -e -f /dev/null -p 17022 -h "$work/host" -o ListenAddress=127.0.0.1 -o UsePAM=no \
    -o AuthorizedKeysFile="$work/authorized" -o StrictModes=no -o PidFile=none -o PermitRootLogin=yes -o MaxStartups=100 \
    > "$work/sshd.log" 2>&1 &
sshd=$!
trap 'kill $sshd 2> /dev/null || true' EXIT
sleep 1
export SSH="ssh -p 17022 -i $work/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
hosts=$(for n in $(seq "$workers"); do printf '1/127.0.0.%d,' 1; done)
[ "$workers" = 1 ] || hosts="$workers/127.0.0.1,"
begin=$(date +%s.%N)
code=0
WORKDIR=$work/remote bash "$here/run.sh" "$program" "$archive" "$shards" "$work/out" "${hosts%,}" > "$work/summary.txt" || code=$?
end=$(date +%s.%N)
echo "shards: $shards, workers: $workers, seconds: $(echo "$end $begin" | awk '{ printf "%.1f", $1 - $2 }')"
tail -4 "$work/summary.txt"
exit $code
