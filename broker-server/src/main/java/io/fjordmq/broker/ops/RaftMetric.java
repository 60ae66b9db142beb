package io.fjordmq.broker.ops;

/** Metrics about Raft groups and their log. */
enum RaftMetric implements Metric {
  RAFT_FSYNC(
      "fjordmq.raft.fsync", Kind.TIMER, "", "Time to write and fsync a batch of Raft log entries"),
  RAFT_ENTRIES("fjordmq.raft.entries", Kind.COUNTER, "", "Raft log entries written"),
  RAFT_BYTES("fjordmq.raft.bytes", Kind.COUNTER, "", "Bytes of Raft log entries written"),
  RAFT_GROUPS("fjordmq.raft.groups", Kind.GAUGE, "", "Raft groups open on this node"),
  RAFT_GROUPS_LED("fjordmq.raft.groups.led", Kind.GAUGE, "", "Raft groups led by this node"),
  RAFT_LOG_ENTRIES(
      "fjordmq.raft.log.entries", Kind.GAUGE, "", "Entries in the Raft logs on this node"),
  RAFT_UNAPPLIED(
      "fjordmq.raft.unapplied",
      Kind.GAUGE,
      "",
      "Raft log entries that are committed but not yet applied on this node"),
  RAFT_ELECTIONS(
      "fjordmq.raft.elections",
      Kind.COUNTER,
      "",
      "Times a replica on this node became the leader of its Raft group"),
  RAFT_STEP_DOWNS(
      "fjordmq.raft.step.downs",
      Kind.COUNTER,
      "",
      "Times a replica on this node stopped leading its Raft group"),
  RAFT_HALTS(
      "fjordmq.raft.halts",
      Kind.COUNTER,
      "",
      "Raft replicas on this node that were halted by an error"),
  RAFT_PROPOSALS_FAILED(
      "fjordmq.raft.proposals.failed",
      Kind.COUNTER,
      "kind",
      "Raft proposals that failed, by kind; kind busy means overload"),
  RAFT_TRAFFIC_DROPPED(
      "fjordmq.raft.traffic.dropped",
      Kind.COUNTER,
      "reason",
      "Raft messages between nodes dropped because a queue was full"),
  RAFT_SNAPSHOT(
      "fjordmq.raft.snapshot",
      Kind.TIMER,
      "step",
      "Time of each step of sending a snapshot to a replica that is too far behind to catch up from"
          + " the log; step is export (on the leader), fetch or install"),
  RAFT_SNAPSHOT_BYTES(
      "fjordmq.raft.snapshot.bytes",
      Kind.COUNTER,
      "step",
      "Bytes of snapshots exported, fetched and installed by this node"),
  RAFT_SNAPSHOTS_FAILED(
      "fjordmq.raft.snapshots.failed",
      Kind.COUNTER,
      "step",
      "Exports, fetches and installations of snapshots that failed on this node; Raft retries"
          + " them"),
  RAFT_LOG_FAILED("fjordmq.raft.log.failed", Kind.GAUGE, "", "1 if the Raft log rejects writes");

  private final Spec spec;

  RaftMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
