package io.fjordmq.broker.ops;

/** Metrics about this node: disk, clock, state database, memory and build. */
enum NodeMetric implements Metric {
  READY(
      "fjordmq.ready", Kind.GAUGE, "", "1 if this node is ready for clients: /readyz returns 200"),
  SERVING(
      "fjordmq.serving",
      Kind.GAUGE,
      "",
      "1 if this node may serve clients: it has a valid lease, or is the only node, and the cluster"
          + " has admitted it"),
  LEASE_REMAINING(
      "fjordmq.lease.remaining.seconds",
      Kind.GAUGE,
      "",
      "Seconds until the lease of this node expires unless the node renews it; 0 if it has"
          + " expired"),
  CLUSTER_LEVEL(
      "fjordmq.cluster.level",
      Kind.GAUGE,
      "",
      "Level of the cluster, which decides which formats its nodes write"),
  SUPPORTED_LEVEL(
      "fjordmq.cluster.level.supported",
      Kind.GAUGE,
      "",
      "Highest cluster level that the version of this node supports"),
  CLUSTER_NODES(
      "fjordmq.cluster.nodes",
      Kind.GAUGE,
      "state",
      "Nodes of the cluster by state, as far as this node knows"),
  DISK_FREE_BYTES("fjordmq.disk.free.bytes", Kind.GAUGE, "", "Bytes free on the disk of dataDir"),
  CLOCK_DIFFERENCE(
      "fjordmq.clock.difference.seconds",
      Kind.GAUGE,
      "",
      "Seconds by which the wall clock of this host is ahead of cluster time; negative if it is"
          + " behind"),
  DISK_LOW(
      "fjordmq.disk.low", Kind.GAUGE, "", "1 if free disk space is below diskConfig.minFreeBytes"),
  ALARMS_ACTIVE(
      "fjordmq.alarms.active",
      Kind.GAUGE,
      "name",
      "Alarms that are active on this node, by name; docs/API.md lists the names"),
  STORAGE_FAILED(
      "fjordmq.storage.failed", Kind.GAUGE, "", "1 if the state database (RocksDB) rejects writes"),
  STORAGE_UNWRITTEN_BYTES(
      "fjordmq.storage.unwritten.bytes",
      Kind.GAUGE,
      "",
      "Bytes of rows buffered in memory that have not been written to RocksDB yet"),
  STORAGE_MEMTABLE_BYTES(
      "fjordmq.storage.memtable.bytes",
      Kind.GAUGE,
      "",
      "Bytes in RocksDB memtables that have not been flushed to a table file yet"),
  STORAGE_CACHE_BYTES(
      "fjordmq.storage.cache.bytes", Kind.GAUGE, "", "Bytes in the RocksDB block cache"),
  STORAGE_TABLE_BYTES(
      "fjordmq.storage.table.bytes", Kind.GAUGE, "", "Bytes in RocksDB table files"),
  STORAGE_PENDING_COMPACTION_BYTES(
      "fjordmq.storage.pending.compaction.bytes",
      Kind.GAUGE,
      "",
      "Estimated bytes that RocksDB has yet to compact"),
  STORAGE_WRITE_STOPPED(
      "fjordmq.storage.write.stopped",
      Kind.GAUGE,
      "",
      "1 while RocksDB stops writes until compactions catch up"),
  STORAGE_BACKGROUND_ERRORS(
      "fjordmq.storage.background.errors",
      Kind.COUNTER,
      "",
      "RocksDB flushes and compactions that have failed"),
  NETTY_DIRECT_BYTES(
      "fjordmq.netty.direct.bytes",
      Kind.GAUGE,
      "",
      "Bytes of direct memory allocated for network buffers"),
  BUILD_INFO(
      "fjordmq.build.info",
      Kind.GAUGE,
      "version, java",
      "Always 1; the labels contain the FjordMQ version and the Java version of this node");

  private final Spec spec;

  NodeMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
