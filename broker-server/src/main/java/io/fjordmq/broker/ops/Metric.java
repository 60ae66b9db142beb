package io.fjordmq.broker.ops;

/**
 * All metrics with name, kind, labels and help text. A test keeps docs/METRICS.md equal to this
 * list. In the Prometheus format dots become underscores, counters end in {@code _total}, timers in
 * {@code _seconds}.
 */
enum Metric {
  CONNECTIONS("fjordmq.connections", Kind.GAUGE, "", "Clients connected"),
  CONNECTIONS_OPENED(
      "fjordmq.connections.opened",
      Kind.COUNTER,
      "protocol, session",
      "Clients accepted; session is transient or persistent"),
  CONNECTIONS_REFUSED(
      "fjordmq.connections.refused",
      Kind.COUNTER,
      "reason",
      "Connections that ended before a session was established, by reason"),
  CONNECTIONS_CLOSED(
      "fjordmq.connections.closed",
      Kind.COUNTER,
      "reason",
      "Connections of accepted clients that ended, by reason"),
  CONNECTIONS_HELD_BACK(
      "fjordmq.connections.held.back",
      Kind.GAUGE,
      "",
      "Connections not being read, to throttle the client or because this node has no valid lease"),
  LIMITS_REACHED(
      "fjordmq.limits.reached",
      Kind.COUNTER,
      "limit, tenant",
      "Times a client reached a limit (docs/LIMITS.md); tenant is empty unless the tenant has"
          + " limits of its own"),
  OVERLOADED(
      "fjordmq.overloaded", Kind.GAUGE, "", "1 while this node is overloaded and refuses new work"),
  OVERLOAD_REFUSED(
      "fjordmq.overload.refused",
      Kind.COUNTER,
      "work",
      "Work refused, dropped or throttled because this node was overloaded"),
  NOT_SERVING_REFUSED(
      "fjordmq.not.serving.refused",
      Kind.COUNTER,
      "work",
      "Work refused because the lease of this node had expired or the cluster had not admitted it"
          + " yet"),
  HEAP_PERCENT(
      "fjordmq.heap.percent",
      Kind.GAUGE,
      "",
      "Heap used by long-lived objects after the last garbage collection, in percent"),
  DIRECT_PERCENT(
      "fjordmq.direct.percent",
      Kind.GAUGE,
      "",
      "Direct memory in use for network buffers, in percent of its maximum"),
  LOOP_LAG(
      "fjordmq.loop.lag.millis",
      Kind.GAUGE,
      "",
      "Delay before the slowest event loop starts a task, in milliseconds"),
  TRANSIENT_SUBSCRIPTIONS(
      "fjordmq.transient.subscriptions",
      Kind.GAUGE,
      "",
      "Subscriptions of connected clients with transient sessions"),
  TLS_HANDSHAKES(
      "fjordmq.tls.handshakes",
      Kind.COUNTER,
      "kind",
      "Successful TLS handshakes; kind is full or resumed"),
  TLS_RELOADS(
      "fjordmq.tls.reloads",
      Kind.COUNTER,
      "outcome",
      "Reloads of changed certificate files; outcome is taken_over or refused"),
  TLS_CERTIFICATE_EXPIRY(
      "fjordmq.tls.certificate.expiry",
      Kind.GAUGE,
      "",
      "Earliest expiry of the listeners' certificates, in Unix time; 0 without certificates"),
  HTTP_LIMITED(
      "fjordmq.http.limited",
      Kind.COUNTER,
      "limit",
      "HTTP connections closed and requests refused because of a limit in httpConfig"),
  PACKETS_RECEIVED(
      "fjordmq.packets.received",
      Kind.COUNTER,
      "type",
      "MQTT control packets received from clients"),
  BYTES_RECEIVED(
      "fjordmq.bytes.received",
      Kind.COUNTER,
      "",
      "Bytes received from clients in MQTT control packets"),
  PACKETS_SENT("fjordmq.packets.sent", Kind.COUNTER, "", "MQTT control packets sent to clients"),
  BYTES_SENT(
      "fjordmq.bytes.sent",
      Kind.COUNTER,
      "",
      "Bytes sent to clients in MQTT control packets, without CONNACK, SUBACK, UNSUBACK and"
          + " DISCONNECT"),
  MESSAGES_RECEIVED(
      "fjordmq.messages.received", Kind.COUNTER, "qos", "PUBLISH packets received from clients"),
  MESSAGES_RECEIVED_BYTES(
      "fjordmq.messages.received.bytes",
      Kind.COUNTER,
      "qos",
      "Bytes of PUBLISH packets received from clients, whole packets"),
  MESSAGES_SENT("fjordmq.messages.sent", Kind.COUNTER, "qos", "PUBLISH packets sent to clients"),
  MESSAGES_SENT_BYTES(
      "fjordmq.messages.sent.bytes",
      Kind.COUNTER,
      "qos",
      "Bytes of PUBLISH packets sent to clients, whole packets"),
  MESSAGES_DROPPED(
      "fjordmq.messages.dropped",
      Kind.COUNTER,
      "at, reason",
      "Copies of messages dropped before they reached their receiver; at is session, delivery or"
          + " inbox"),
  MESSAGES_INFLIGHT(
      "fjordmq.messages.inflight",
      Kind.GAUGE,
      "",
      "QoS 1 and 2 messages sent to clients and not acknowledged yet"),
  MESSAGES_QUEUED(
      "fjordmq.messages.queued", Kind.GAUGE, "", "Messages queued in memory for their clients"),
  MESSAGES_QUEUED_BYTES(
      "fjordmq.messages.queued.bytes",
      Kind.GAUGE,
      "",
      "Payload bytes of messages queued in memory for their clients"),
  PUBLISH_ACK(
      "fjordmq.publish.ack",
      Kind.TIMER,
      "",
      "Time from reading a QoS 1 or 2 PUBLISH to sending its PUBACK or PUBREC"),

  DENIALS(
      "fjordmq.denials",
      Kind.COUNTER,
      "attempt, cause",
      "Client actions denied, by attempted action and cause"),
  AUTHENTICATION(
      "fjordmq.authentication",
      Kind.TIMER,
      "",
      "Time from a CONNECT to the decision whether to admit the client"),
  PASSWORDS_WAITING(
      "fjordmq.passwords.waiting", Kind.GAUGE, "", "Logins waiting for the hash of their password"),
  LOGIN_ADDRESSES(
      "fjordmq.login.addresses",
      Kind.GAUGE,
      "",
      "Client addresses tracked because of failed logins"),
  PLUGIN_CALLS_WAITING(
      "fjordmq.plugin.calls.waiting",
      Kind.GAUGE,
      "",
      "Plugin calls waiting for a thread of the plugin"),
  EVENTS_WAITING(
      "fjordmq.events.waiting", Kind.GAUGE, "", "Events waiting to be passed to plugins"),
  EVENTS_DROPPED(
      "fjordmq.events.dropped",
      Kind.COUNTER,
      "",
      "Events for plugins dropped because the queue was full"),
  SECURITY_FILES_READ(
      "fjordmq.security.files.read",
      Kind.COUNTER,
      "result",
      "Changed password and ACL files read; result is taken, or refused for an invalid file"),

  PUBLISHES("fjordmq.publishes", Kind.COUNTER, "outcome", "Messages published, by outcome"),
  PUBLISHES_SLOWED(
      "fjordmq.publishes.slowed",
      Kind.COUNTER,
      "",
      "Publish acknowledgements delayed until a receiving event loop or node caught up"),
  DELIVERIES_LIVE(
      "fjordmq.deliveries.live",
      Kind.COUNTER,
      "",
      "Copies of messages passed to sessions of connected clients"),
  DELIVERIES_STORED(
      "fjordmq.deliveries.stored",
      Kind.COUNTER,
      "",
      "Copies of messages passed to inboxes of persistent sessions"),
  SHARES_REDISTRIBUTED(
      "fjordmq.shares.redistributed",
      Kind.COUNTER,
      "",
      "Unacknowledged messages of shared subscriptions passed on to another member"),
  ROUTE_CHANGES_FAILED(
      "fjordmq.route.changes.failed",
      Kind.COUNTER,
      "",
      "Routes that could not be added or removed"),
  MAILBOX_MESSAGES(
      "fjordmq.mailbox.messages",
      Kind.GAUGE,
      "",
      "Copies of messages waiting for a receiving event loop"),
  MAILBOX_BYTES(
      "fjordmq.mailbox.bytes",
      Kind.GAUGE,
      "",
      "Payload bytes of messages waiting for a receiving event loop"),
  NODE_STREAMS(
      "fjordmq.node.streams",
      Kind.GAUGE,
      "",
      "Other live nodes that this node has a message stream to"),
  NODE_STREAMS_FULL(
      "fjordmq.node.streams.full",
      Kind.GAUGE,
      "",
      "Streams to other nodes that are full, so that publishes to them are refused"),
  NODE_ITEMS_WAITING(
      "fjordmq.node.items.waiting",
      Kind.GAUGE,
      "",
      "Messages and notices for other nodes that are queued or not acknowledged yet"),
  NODE_BYTES_WAITING(
      "fjordmq.node.bytes.waiting",
      Kind.GAUGE,
      "",
      "Bytes of messages and notices for other nodes that are queued or not acknowledged yet"),
  NODE_ITEMS(
      "fjordmq.node.items",
      Kind.COUNTER,
      "event",
      "Messages and notices between nodes; event is sent, resent, overdue (their publishers were"
          + " not acknowledged), received or repeated (received again)"),
  LOCAL_FILTERS(
      "fjordmq.local.filters",
      Kind.GAUGE,
      "",
      "Topic filters with at least one connected subscriber on this node"),
  LOCAL_ROUTES(
      "fjordmq.local.routes",
      Kind.GAUGE,
      "",
      "Routes that this node holds for its connected clients"),
  LOCAL_ROUTES_LEFTOVER(
      "fjordmq.local.routes.leftover",
      Kind.GAUGE,
      "",
      "Routes of this node that are no longer needed and still have to be removed"),
  LOCAL_ROUTE_REMOVALS_WAITING(
      "fjordmq.local.route.removals.waiting",
      Kind.GAUGE,
      "",
      "Route removals of this node that are queued behind others"),
  PUBLISHES_WAITING(
      "fjordmq.publishes.waiting",
      Kind.GAUGE,
      "",
      "Publish acknowledgements currently delayed until a receiving event loop catches up"),
  SHARES(
      "fjordmq.shares",
      Kind.GAUGE,
      "",
      "Shared subscriptions for which this node tracks the next member"),
  REPEATING_PUBLISHERS(
      "fjordmq.repeating.publishers",
      Kind.GAUGE,
      "",
      "Publishers whose QoS 2 messages this node tracks to detect duplicates"),
  REPEATABLE_MESSAGES(
      "fjordmq.repeatable.messages",
      Kind.GAUGE,
      "",
      "QoS 2 messages tracked to detect duplicates for connected clients"),
  REPEATING_PUBLISHERS_FORGOTTEN(
      "fjordmq.repeating.publishers.forgotten",
      Kind.COUNTER,
      "",
      "Publishers no longer tracked because there were too many; messages they repeat are"
          + " delivered again"),

  ROUTES("fjordmq.routes", Kind.GAUGE, "", "Routes that this node matches messages against"),
  ROUTE_FILTERS(
      "fjordmq.route.filters",
      Kind.GAUGE,
      "",
      "Distinct topic filters among the routes of this node"),
  ROUTE_CACHE_TOPICS("fjordmq.route.cache.topics", Kind.GAUGE, "", "Topics in the route cache"),
  ROUTE_CACHE_HITS(
      "fjordmq.route.cache.hits", Kind.COUNTER, "", "Route lookups answered from the cache"),
  ROUTE_CACHE_MISSES(
      "fjordmq.route.cache.misses", Kind.COUNTER, "", "Route lookups not answered from the cache"),
  ROUTE_CACHE_INVALIDATIONS(
      "fjordmq.route.cache.invalidations",
      Kind.COUNTER,
      "",
      "Topics removed from the route cache because their routes changed"),
  ROUTE_CACHE_EVICTIONS(
      "fjordmq.route.cache.evictions",
      Kind.COUNTER,
      "",
      "Topics removed from the route cache because it was full"),
  ROUTE_CHANGES_WAITING(
      "fjordmq.route.changes.waiting",
      Kind.GAUGE,
      "",
      "Route changes waiting until all live nodes have applied them"),

  INBOXES("fjordmq.inboxes", Kind.GAUGE, "", "Persistent sessions in ranges led by this node"),
  INBOXES_ATTACHED(
      "fjordmq.inboxes.attached",
      Kind.GAUGE,
      "",
      "Connected persistent sessions in ranges led by this node"),
  INBOXES_EXPIRED(
      "fjordmq.inboxes.expired",
      Kind.COUNTER,
      "",
      "Persistent sessions expired in ranges led by this node"),
  INBOX_SUBSCRIPTIONS(
      "fjordmq.inbox.subscriptions",
      Kind.GAUGE,
      "",
      "Subscriptions of persistent sessions in ranges led by this node"),
  INBOX_MESSAGES(
      "fjordmq.inbox.messages",
      Kind.GAUGE,
      "",
      "Undelivered messages of persistent sessions in ranges led by this node"),
  INBOX_OUTCOMES(
      "fjordmq.inbox.outcomes",
      Kind.COUNTER,
      "outcome",
      "Copies of messages for inboxes, by outcome"),
  INBOX_INSERT(
      "fjordmq.inbox.insert", Kind.TIMER, "", "Time to store a message in all its inboxes"),
  INBOX_FETCH("fjordmq.inbox.fetch", Kind.TIMER, "", "Time to read stored messages from an inbox"),
  INBOX_FETCHED("fjordmq.inbox.fetched", Kind.COUNTER, "", "Stored messages read from inboxes"),
  INBOX_COMMIT(
      "fjordmq.inbox.commit",
      Kind.TIMER,
      "",
      "Time to replicate acknowledgements of stored messages"),
  INBOX_RETRIES(
      "fjordmq.inbox.retries",
      Kind.COUNTER,
      "",
      "Acknowledgements and detaches retried because their range was busy"),
  INBOX_SWEEP(
      "fjordmq.inbox.sweep",
      Kind.TIMER,
      "result",
      "Time to scan inboxes for expired sessions and due wills; result is done or failed"),
  RETAINED_MESSAGES(
      "fjordmq.retained.messages",
      Kind.GAUGE,
      "",
      "Retained messages in the replicas on this node"),

  RANGES("fjordmq.ranges", Kind.GAUGE, "store", "Replicas of ranges on this node"),
  RANGES_LED("fjordmq.ranges.led", Kind.GAUGE, "store", "Ranges led by this node"),
  RANGES_HALTED(
      "fjordmq.ranges.halted",
      Kind.GAUGE,
      "store",
      "Replicas of ranges on this node that are halted by an error and out of service"),
  RANGE_LOG_BYTES(
      "fjordmq.range.log.bytes",
      Kind.GAUGE,
      "store",
      "Bytes of log since the last checkpoint, which a restart has to apply again"),
  RANGE_SENDERS(
      "fjordmq.range.senders",
      Kind.GAUGE,
      "store",
      "Senders that the replicas on this node track to apply batches once"),
  RANGE_SENDERS_FORGOTTEN(
      "fjordmq.range.senders.forgotten",
      Kind.COUNTER,
      "store",
      "Senders that replicas stopped tracking because there were too many"),
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
      "Range queries sent by this node and not answered yet"),
  RANGE_BATCH(
      "fjordmq.range.batch",
      Kind.TIMER,
      "store",
      "Time from sending a batch of range commands to its answer"),
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
      "Range commands rejected by this node because the queue was full or a batch had timed out"),
  RANGE_RETRIES(
      "fjordmq.range.retries", Kind.COUNTER, "store", "Batches and queries to ranges retried"),
  RANGE_REDIRECTS(
      "fjordmq.range.redirects",
      Kind.COUNTER,
      "store",
      "Batches and queries redirected because another node leads the range or the range has"
          + " changed"),
  RANGE_TIMEOUTS(
      "fjordmq.range.timeouts",
      Kind.COUNTER,
      "store",
      "Batches and queries to ranges that reached their deadline"),
  RANGE_PROPOSAL(
      "fjordmq.range.proposal",
      Kind.TIMER,
      "store",
      "Time from proposing a log entry to applying it, on the leader"),
  RANGE_APPLY(
      "fjordmq.range.apply",
      Kind.TIMER,
      "store",
      "Time to execute a set of log entries and write their changes"),
  RANGE_APPLIED_COMMANDS(
      "fjordmq.range.applied.commands",
      Kind.COUNTER,
      "store",
      "Commands executed by replicas on this node, as leader or follower; placement balances its"
          + " rate between nodes"),
  RANGE_APPLIED_BYTES(
      "fjordmq.range.applied.bytes",
      Kind.COUNTER,
      "store",
      "Bytes written to storage by commands that replicas on this node executed"),
  RANGE_DUPLICATES(
      "fjordmq.range.duplicates", Kind.COUNTER, "store", "Batches recognised as already applied"),
  RANGE_QUERY(
      "fjordmq.range.query",
      Kind.TIMER,
      "store",
      "Time to answer a query, on the leader of the range"),
  RANGE_HALTS(
      "fjordmq.range.halts",
      Kind.COUNTER,
      "store",
      "Replicas of ranges on this node halted by an error"),
  RANGE_REBUILDS(
      "fjordmq.range.rebuilds",
      Kind.COUNTER,
      "store",
      "Broken replicas on this node replaced by empty ones that fetch a snapshot"),
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
      "Decisions about ranges led by this node, one a second for each range: split, merge, or the"
          + " reason for neither"),
  RANGE_BUSIEST_REQUESTS(
      "fjordmq.range.busiest.requests",
      Kind.GAUGE,
      "store",
      "Commands and queries per second of the busiest range led by this node"),
  RANGE_BUSIEST_PERCENT(
      "fjordmq.range.busiest.percent",
      Kind.GAUGE,
      "store",
      "Utilisation of the busiest apply thread of a range led by this node, in percent"),
  RANGE_LARGEST_BYTES(
      "fjordmq.range.largest.bytes",
      Kind.GAUGE,
      "store",
      "Estimated bytes of the largest range led by this node"),
  RANGE_CHECKPOINT(
      "fjordmq.range.checkpoint",
      Kind.TIMER,
      "",
      "Time to make the state of all ranges on this node durable"),

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
      "Raft log entries committed and not applied yet on this node"),
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
      "fjordmq.raft.halts", Kind.COUNTER, "", "Raft replicas on this node halted by an error"),
  RAFT_PROPOSALS_FAILED(
      "fjordmq.raft.proposals.failed",
      Kind.COUNTER,
      "kind",
      "Raft proposals that failed; kind busy means overload"),
  RAFT_TRAFFIC_DROPPED(
      "fjordmq.raft.traffic.dropped",
      Kind.COUNTER,
      "reason",
      "Raft messages between nodes dropped because a queue was full"),

  RAFT_LOG_FAILED("fjordmq.raft.log.failed", Kind.GAUGE, "", "1 if the Raft log rejects writes"),

  DISK_FREE_BYTES("fjordmq.disk.free.bytes", Kind.GAUGE, "", "Bytes free on the disk of dataDir"),
  CLOCK_DIFFERENCE(
      "fjordmq.clock.difference.seconds",
      Kind.GAUGE,
      "",
      "Seconds by which the wall clock of this host is ahead of cluster time; negative if it is"
          + " behind"),
  DISK_LOW(
      "fjordmq.disk.low", Kind.GAUGE, "", "1 if free disk space is below diskConfig.minFreeBytes"),
  STORAGE_FAILED(
      "fjordmq.storage.failed",
      Kind.GAUGE,
      "",
      "1 if the storage of the replicas (RocksDB) rejects writes"),
  STORAGE_UNWRITTEN_BYTES(
      "fjordmq.storage.unwritten.bytes",
      Kind.GAUGE,
      "",
      "Bytes of rows kept in memory for a while before they are written to RocksDB"),
  STORAGE_MEMTABLE_BYTES(
      "fjordmq.storage.memtable.bytes",
      Kind.GAUGE,
      "",
      "Bytes in RocksDB memtables, not in a table file yet"),
  STORAGE_CACHE_BYTES(
      "fjordmq.storage.cache.bytes", Kind.GAUGE, "", "Bytes in the RocksDB block cache"),
  STORAGE_TABLE_BYTES(
      "fjordmq.storage.table.bytes", Kind.GAUGE, "", "Bytes in RocksDB table files"),
  STORAGE_PENDING_COMPACTION_BYTES(
      "fjordmq.storage.pending.compaction.bytes",
      Kind.GAUGE,
      "",
      "Estimated bytes that RocksDB still has to compact"),
  STORAGE_WRITE_STOPPED(
      "fjordmq.storage.write.stopped",
      Kind.GAUGE,
      "",
      "1 while RocksDB stops writes until compactions catch up"),
  STORAGE_BACKGROUND_ERRORS(
      "fjordmq.storage.background.errors",
      Kind.GAUGE,
      "",
      "Errors of RocksDB flushes and compactions since startup"),

  NETTY_DIRECT_BYTES(
      "fjordmq.netty.direct.bytes",
      Kind.GAUGE,
      "",
      "Bytes of direct memory allocated for network buffers"),
  BUILD_INFO(
      "fjordmq.build.info",
      Kind.GAUGE,
      "version, java",
      "Always 1; the labels name the FjordMQ version and the Java version of this node");

  /** The type of a metric. */
  enum Kind {
    /** A value that can decrease. */
    GAUGE,
    /** A value that only increases. */
    COUNTER,
    /** A histogram of durations. */
    TIMER
  }

  private final String id;
  private final Kind kind;
  private final String labels;
  private final String meaning;

  Metric(String id, Kind kind, String labels, String meaning) {
    this.id = id;
    this.kind = kind;
    this.labels = labels;
    this.meaning = meaning;
  }

  /** Micrometer name, with dots. */
  String id() {
    return id;
  }

  Kind kind() {
    return kind;
  }

  /** Label names, separated by a comma and a blank; empty if there are none. */
  String labels() {
    return labels;
  }

  String meaning() {
    return meaning;
  }

  /** Name in the Prometheus format. */
  String exposedName() {
    String name = id.replace('.', '_');
    return switch (kind) {
      case GAUGE -> name;
      case COUNTER -> name + "_total";
      case TIMER -> name + "_seconds";
    };
  }
}
