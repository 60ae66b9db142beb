package io.fjordmq.broker.ops;

/** Metrics about ranges: replicas, queues, batches and splits. */
enum RangeMetric implements Metric {
  RANGES("fjordmq.ranges", Kind.GAUGE, "store", "Range replicas on this node"),
  RANGES_LED("fjordmq.ranges.led", Kind.GAUGE, "store", "Ranges led by this node"),
  RANGES_HALTED(
      "fjordmq.ranges.halted",
      Kind.GAUGE,
      "store",
      "Range replicas on this node that are halted by an error and out of service"),
  RANGE_LOG_BYTES(
      "fjordmq.range.log.bytes",
      Kind.GAUGE,
      "store",
      "Bytes of log written since the last checkpoint, which must be reapplied after a restart"),
  RANGE_SENDERS(
      "fjordmq.range.senders",
      Kind.GAUGE,
      "store",
      "Senders that replicas on this node track so that each batch is applied only once"),
  RANGE_SENDERS_FORGOTTEN(
      "fjordmq.range.senders.forgotten",
      Kind.COUNTER,
      "store",
      "Senders that replicas on this node stopped tracking because there were too many"),
  RANGE_QUEUE_COMMANDS(
      "fjordmq.range.queue.commands",
      Kind.GAUGE,
      "store",
      "Range commands queued on this node for the next batch"),
  RANGE_QUEUE_BYTES(
      "fjordmq.range.queue.bytes",
      Kind.GAUGE,
      "store",
      "Bytes of range commands queued on this node for the next batch"),
  RANGE_QUERIES_IN_FLIGHT(
      "fjordmq.range.queries.in.flight",
      Kind.GAUGE,
      "store",
      "Range queries sent by this node that are awaiting a response"),
  RANGE_BATCH(
      "fjordmq.range.batch",
      Kind.TIMER,
      "store",
      "Time from sending a batch of range commands to its response"),
  RANGE_COMMANDS(
      "fjordmq.range.commands",
      Kind.COUNTER,
      "store",
      "Range commands sent by this node in batches"),
  RANGE_COMMAND_BYTES(
      "fjordmq.range.command.bytes",
      Kind.COUNTER,
      "store",
      "Bytes of range commands sent by this node in batches"),
  RANGE_BUSY(
      "fjordmq.range.busy",
      Kind.COUNTER,
      "store",
      "Range commands rejected on this node because the queue was full or a batch had timed out"),
  RANGE_RETRIES(
      "fjordmq.range.retries", Kind.COUNTER, "store", "Retries of range batches and range queries"),
  RANGE_REDIRECTS(
      "fjordmq.range.redirects",
      Kind.COUNTER,
      "store",
      "Range batches and range queries redirected because another node leads the range or the range"
          + " has changed"),
  RANGE_TIMEOUTS(
      "fjordmq.range.timeouts",
      Kind.COUNTER,
      "store",
      "Range batches and range queries that reached their deadline"),
  RANGE_PROPOSAL(
      "fjordmq.range.proposal",
      Kind.TIMER,
      "store",
      "Time on the leader from proposing a log entry of a range to applying it"),
  RANGE_APPLY(
      "fjordmq.range.apply",
      Kind.TIMER,
      "store",
      "Time to execute a set of range log entries and write their changes"),
  RANGE_APPLIED_COMMANDS(
      "fjordmq.range.applied.commands",
      Kind.COUNTER,
      "store",
      "Range commands executed by replicas on this node, as leader or follower; placement balances"
          + " their rate across nodes"),
  RANGE_APPLIED_BYTES(
      "fjordmq.range.applied.bytes",
      Kind.COUNTER,
      "store",
      "Bytes written to storage by range commands that replicas on this node executed"),
  RANGE_DUPLICATES(
      "fjordmq.range.duplicates",
      Kind.COUNTER,
      "store",
      "Range batches detected as duplicates, which were already applied"),
  RANGE_QUERY(
      "fjordmq.range.query",
      Kind.TIMER,
      "store",
      "Time to execute a range query on the leader of the range"),
  RANGE_HALTS(
      "fjordmq.range.halts",
      Kind.COUNTER,
      "store",
      "Range replicas on this node that were halted by an error"),
  RANGE_REBUILDS(
      "fjordmq.range.rebuilds",
      Kind.COUNTER,
      "store",
      "Broken range replicas on this node that were replaced by empty replicas, which fetch a"
          + " snapshot"),
  RANGE_COMPARISONS(
      "fjordmq.range.comparisons",
      Kind.COUNTER,
      "store, result",
      "Comparisons of a slice of a range led by this node with the replica of another node; result"
          + " is equal, different, or skipped if the other replica had no hash of the slice"),
  RANGE_SPLITS(
      "fjordmq.range.splits",
      Kind.COUNTER,
      "store",
      "Range splits applied by replicas on this node"),
  RANGE_MERGES(
      "fjordmq.range.merges",
      Kind.COUNTER,
      "store",
      "Range merges applied by replicas on this node"),
  RANGE_DECISIONS(
      "fjordmq.range.decisions",
      Kind.COUNTER,
      "store, decision",
      "Split decisions for ranges led by this node, made once per second for each range: split, "
          + "merge, or the reason for leaving the range unchanged"),
  RANGE_BUSIEST_REQUESTS(
      "fjordmq.range.busiest.requests",
      Kind.GAUGE,
      "store",
      "Commands and queries per second of the busiest range led by this node"),
  RANGE_BUSIEST(
      "fjordmq.range.busiest.ratio",
      Kind.GAUGE,
      "store",
      "Fraction of time in which the busiest apply thread of a range led by this node was busy"
          + " (0 to 1)"),
  RANGE_LARGEST_BYTES(
      "fjordmq.range.largest.bytes",
      Kind.GAUGE,
      "store",
      "Estimated size in bytes of the largest range led by this node"),
  RANGE_CHECKPOINT(
      "fjordmq.range.checkpoint",
      Kind.TIMER,
      "",
      "Time to make the state of all ranges on this node durable"),
  RANGE_REPLICA_LAG(
      "fjordmq.range.replica.lag.entries",
      Kind.GAUGE,
      "store",
      "Log entries by which the slowest follower of a range led by this node is behind the leader;"
          + " the maximum over all these ranges"),
  CLUSTER_RANGES(
      "fjordmq.cluster.ranges",
      Kind.GAUGE,
      "store",
      "Ranges of the whole cluster, as far as this node knows"),
  CLUSTER_RANGES_WITHOUT_LEADER(
      "fjordmq.cluster.ranges.without.leader",
      Kind.GAUGE,
      "store",
      "Ranges of the whole cluster that have no leader, as far as this node knows: its own replica"
          + " knows none or, without a replica, most voters are down"),
  CLUSTER_RANGES_UNDER_REPLICATED(
      "fjordmq.cluster.ranges.under.replicated",
      Kind.GAUGE,
      "store",
      "Ranges of the whole cluster with fewer voters in service than they should have, as far as"
          + " this node knows; with fewer nodes than configured voters, one voter per node is"
          + " enough"),
  PLACEMENT_STEPS(
      "fjordmq.placement.steps",
      Kind.COUNTER,
      "step, result",
      "Placement steps carried out by this node while it led the metadata group; result is done or"
          + " failed");

  private final Spec spec;

  RangeMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
