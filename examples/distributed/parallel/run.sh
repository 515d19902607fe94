#!/bin/bash
# The shards of an archive on several machines, by GNU parallel over ssh. Archive and program are copied to each machine, the
# results come back, and a shard whose machine fails is run again on another one (--retries).
#
#   run.sh PROGRAM ARCHIVE SHARDS OUT HOST[,HOST...]
#
# HOST is what ssh takes, with the number of shards that run there at once in front: 4/build1.example.org
set -eu
program=$1 archive=$2 shards=$3 out=$4 hosts=$5
mkdir -p "$out"
cp "$program" "$out/cargo-atropos"
cp "$archive" "$out/run.tar.zst"
cd "$out"
# Exit codes 0, 2 and 3 are verdicts; anything else is a reason to try again.
seq 0 $((shards - 1)) | parallel --sshlogin "$hosts" ${SSH:+--ssh "$SSH"} --retries 3 --joblog joblog \
    --basefile cargo-atropos --basefile run.tar.zst --workdir "${WORKDIR:-...}" --return shard-{} --cleanup \
    "./cargo-atropos run --archive run.tar.zst --shard {}/$shards -o shard-{} --jobs ${JOBS:-1} > /dev/null 2>&1;
     code=\$?; case \$code in 0 | 2 | 3) exit 0 ;; *) exit \$code ;; esac"
./cargo-atropos merge --archive run.tar.zst shard-* -o merged
