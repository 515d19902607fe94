#!/bin/bash
# Runs an archive under Slurm on this machine alone: munged, slurmctld and NODES times slurmd, each a node of its own.
# One node is killed while its task runs; Slurm puts the task back into the queue, and another node finishes it.
# Needs root, and Debian's packages slurm-wlm and munge. Everything lies below WORK and is ended at the end.
#
#   one-machine.sh PROGRAM ARCHIVE SHARDS WORK [kill]
set -eu
program=$1 archive=$2 shards=$3 work=$4 kill=${5:-}
here=$(cd "$(dirname "$0")" && pwd)
nodes=4
mkdir -p "$work"/{state,spool,log,shards}
work=$(cd "$work" && pwd)
chmod 755 "$work"

pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
}
trap finish EXIT

# A key and a socket of our own: another munge on this machine is none of our business.
head -c 1024 /dev/urandom > "$work/munge.key"
chmod 400 "$work/munge.key"
munged --foreground --force --key-file "$work/munge.key" --socket "$work/munge.socket" \
    --pid-file "$work/munge.pid" --log-file "$work/log/munge.log" --seed-file "$work/munge.seed" \
    > "$work/log/munged" 2>&1 &
pids+=($!)

host=$(hostname -s)
cat > "$work/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17001
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd-%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=0
MpiDefault=none
ReturnToService=1
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=2
JobRequeue=1
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17011-$((17010 + nodes))] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

slurmctld -D > "$work/log/controller" 2>&1 &
pids+=($!)
declare -A node_pid
for n in $(seq "$nodes"); do
    mkdir -p "$work/spool/n$n"
    slurmd -D -N "n$n" > "$work/log/node-$n" 2>&1 &
    node_pid[n$n]=$!
    pids+=($!)
done
for _ in $(seq 60); do
    [ "$(sinfo --noheader --format=%T --states=idle --Node 2> /dev/null | wc -l)" = "$nodes" ] && break
    sleep 0.5
done
sinfo --Node

begin=$(date +%s.%N)
job=$(ARCHIVE=$archive OUT=$work/shards PROGRAM=$program sbatch --parsable --export=ALL \
    --array=0-$((shards - 1)) --output="$work/log/task-%a" "$here/atropos.sbatch")
if [ "$kill" = kill ]; then
    # Once a task has saved a result: the node with all that runs on it goes, as if its plug were pulled.
    until victim=$(grep -l mutant "$work"/shards/*/journal.jsonl 2> /dev/null | head -1) && [ -n "$victim" ]; do sleep 0.2; done
    index=$(basename "$(dirname "$victim")")
    node=$(squeue --noheader --array --job="${job}_$index" --format=%N)
    echo "killing node $node, which runs shard $index/$shards"
    kill -KILL "${node_pid[$node]}"
    # All that the node had started, by the variable that Slurm gives it.
    for environ in /proc/[0-9]*/environ; do
        pid=${environ#/proc/}
        { tr '\0' '\n' < "$environ" | grep -qx "SLURMD_NODENAME=$node" && kill -KILL "${pid%/environ}"; } 2> /dev/null || true
    done
    sleep 1
    scontrol update NodeName="$node" State=DOWN Reason="killed on purpose"
    # Slurm lets a task wait for two minutes that is put back; that is not what is measured here.
    for _ in $(seq 100); do
        [ "$(squeue --noheader --array --job="${job}_$index" --format=%T)" = PENDING ] && break
        sleep 0.2
    done
    scontrol update JobId="${job}_$index" StartTime=now
fi
while squeue --noheader --job="$job" 2> /dev/null | grep -q .; do sleep 0.5; done
end=$(date +%s.%N)
echo "shards: $shards, nodes: $nodes, seconds: $(echo "$end $begin" | awk '{ printf "%.1f", $1 - $2 }')"

code=0
"$program" merge --archive "$archive" "$work"/shards/* -o "$work/merged" > "$work/summary.txt" || code=$?
tail -4 "$work/summary.txt"
exit $code
