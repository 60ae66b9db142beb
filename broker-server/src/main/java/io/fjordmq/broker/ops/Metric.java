package io.fjordmq.broker.ops;

/**
 * Every metric there is: name, kind, labels and meaning. docs/METRICS.md is the same list for
 * people, kept equal by a test. In Prometheus' format dots become underscores, counters end in
 * {@code _total}, timers in {@code _seconds}.
 */
enum Metric {
  CONNECTIONS("fjordmq.connections", Kind.GAUGE, "", "connected clients"),
  CONNECTIONS_OPENED(
      "fjordmq.connections.opened",
      Kind.COUNTER,
      "protocol, session",
      "accepted clients; session is transient or persistent"),
  CONNECTIONS_REFUSED(
      "fjordmq.connections.refused",
      Kind.COUNTER,
      "reason",
      "connections that ended before they had a session"),
  CONNECTIONS_CLOSED(
      "fjordmq.connections.closed", Kind.COUNTER, "reason", "accepted connections that ended"),
  CONNECTIONS_HELD_BACK(
      "fjordmq.connections.held.back",
      Kind.GAUGE,
      "",
      "connections not being read, to slow their clients down or because this node has no valid"
          + " lease"),
  LIMITS_REACHED(
      "fjordmq.limits.reached",
      Kind.COUNTER,
      "limit, tenant",
      "times a client reached a limit, docs/LIMITS.md; tenant only if it has limits of its own"),
  OVERLOADED("fjordmq.overloaded", Kind.GAUGE, "", "1 while new work is refused"),
  OVERLOAD_REFUSED(
      "fjordmq.overload.refused", Kind.COUNTER, "work", "what was refused, dropped or held back"),
  NOT_SERVING_REFUSED(
      "fjordmq.not.serving.refused",
      Kind.COUNTER,
      "work",
      "what was refused because this node's lease had run out or it was not admitted yet"),
  HEAP_PERCENT(
      "fjordmq.heap.percent",
      Kind.GAUGE,
      "",
      "long-lived part of the heap in use after a garbage collection"),
  DIRECT_PERCENT(
      "fjordmq.direct.percent", Kind.GAUGE, "", "direct memory for network buffers in use"),
  LOOP_LAG("fjordmq.loop.lag.millis", Kind.GAUGE, "", "how late the latest event loop begins work"),
  TRANSIENT_SUBSCRIPTIONS(
      "fjordmq.transient.subscriptions",
      Kind.GAUGE,
      "",
      "subscriptions of sessions that end with their connections"),
  TLS_HANDSHAKES(
      "fjordmq.tls.handshakes",
      Kind.COUNTER,
      "kind",
      "handshakes that succeeded; kind is full or resumed"),
  TLS_RELOADS(
      "fjordmq.tls.reloads",
      Kind.COUNTER,
      "outcome",
      "changed certificate files, taken_over or refused"),
  TLS_CERTIFICATE_EXPIRY(
      "fjordmq.tls.certificate.expiry",
      Kind.GAUGE,
      "",
      "when the first of the listeners' certificates ends, Unix time; 0 if there is none"),
  HTTP_LIMITED(
      "fjordmq.http.limited",
      Kind.COUNTER,
      "limit",
      "times a limit in httpConfig closed a connection or refused a request"),
  PACKETS_RECEIVED(
      "fjordmq.packets.received", Kind.COUNTER, "type", "control packets from clients"),
  BYTES_RECEIVED("fjordmq.bytes.received", Kind.COUNTER, "", "their bytes"),
  PACKETS_SENT("fjordmq.packets.sent", Kind.COUNTER, "", "control packets to clients"),
  BYTES_SENT(
      "fjordmq.bytes.sent",
      Kind.COUNTER,
      "",
      "their bytes, without CONNACK, SUBACK, UNSUBACK and DISCONNECT"),
  MESSAGES_RECEIVED("fjordmq.messages.received", Kind.COUNTER, "qos", "PUBLISH from clients"),
  MESSAGES_RECEIVED_BYTES(
      "fjordmq.messages.received.bytes", Kind.COUNTER, "qos", "their bytes, whole packets"),
  MESSAGES_SENT("fjordmq.messages.sent", Kind.COUNTER, "qos", "PUBLISH to clients"),
  MESSAGES_SENT_BYTES(
      "fjordmq.messages.sent.bytes", Kind.COUNTER, "qos", "their bytes, whole packets"),
  MESSAGES_DROPPED(
      "fjordmq.messages.dropped",
      Kind.COUNTER,
      "at, reason",
      "copies that did not reach their receiver, each counted once; at is session, delivery or inbox"),
  MESSAGES_INFLIGHT(
      "fjordmq.messages.inflight",
      Kind.GAUGE,
      "",
      "QoS 1 and 2 messages sent to clients and not acknowledged"),
  MESSAGES_QUEUED(
      "fjordmq.messages.queued", Kind.GAUGE, "", "messages waiting in memory for their clients"),
  MESSAGES_QUEUED_BYTES("fjordmq.messages.queued.bytes", Kind.GAUGE, "", "their payload, bytes"),
  PUBLISH_ACK(
      "fjordmq.publish.ack",
      Kind.TIMER,
      "",
      "from reading a QoS 1 or 2 PUBLISH to its PUBACK or PUBREC"),

  DENIALS("fjordmq.denials", Kind.COUNTER, "attempt, cause", "what clients wanted and may not do"),
  AUTHENTICATION(
      "fjordmq.authentication", Kind.TIMER, "", "from a CONNECT to whether the client is let in"),
  PASSWORDS_WAITING(
      "fjordmq.passwords.waiting", Kind.GAUGE, "", "logins waiting for the hash of their password"),
  LOGIN_ADDRESSES(
      "fjordmq.login.addresses", Kind.GAUGE, "", "addresses whose failed logins are remembered"),
  PLUGIN_CALLS_WAITING(
      "fjordmq.plugin.calls.waiting", Kind.GAUGE, "", "calls waiting for a thread of their plugin"),
  EVENTS_WAITING(
      "fjordmq.events.waiting", Kind.GAUGE, "", "events that plugins have not been told yet"),
  EVENTS_DROPPED(
      "fjordmq.events.dropped", Kind.COUNTER, "", "events dropped because too many waited"),
  SECURITY_FILES_READ(
      "fjordmq.security.files.read",
      Kind.COUNTER,
      "result",
      "changed password and ACL files: taken, or broken and refused"),

  PUBLISHES("fjordmq.publishes", Kind.COUNTER, "outcome", "what became of messages published"),
  PUBLISHES_SLOWED(
      "fjordmq.publishes.slowed",
      Kind.COUNTER,
      "",
      "answers held back until a receiving event loop had caught up"),
  DELIVERIES_LIVE("fjordmq.deliveries.live", Kind.COUNTER, "", "copies given to connected clients"),
  DELIVERIES_STORED(
      "fjordmq.deliveries.stored", Kind.COUNTER, "", "copies given to persistent sessions"),
  SHARES_REDISTRIBUTED(
      "fjordmq.shares.redistributed",
      Kind.COUNTER,
      "",
      "unacknowledged messages given to other members of a share"),
  ROUTE_CHANGES_FAILED(
      "fjordmq.route.changes.failed",
      Kind.COUNTER,
      "",
      "routes that could not be added or removed"),
  MAILBOX_MESSAGES(
      "fjordmq.mailbox.messages", Kind.GAUGE, "", "copies on the way between event loops"),
  MAILBOX_BYTES("fjordmq.mailbox.bytes", Kind.GAUGE, "", "their payload, bytes"),
  NODE_STREAMS("fjordmq.node.streams", Kind.GAUGE, "", "other nodes that are alive"),
  NODE_STREAMS_FULL(
      "fjordmq.node.streams.full",
      Kind.GAUGE,
      "",
      "of them so far behind that publishes are refused"),
  NODE_ITEMS_WAITING(
      "fjordmq.node.items.waiting", Kind.GAUGE, "", "messages and notices for other nodes"),
  NODE_BYTES_WAITING("fjordmq.node.bytes.waiting", Kind.GAUGE, "", "their bytes"),
  NODE_ITEMS(
      "fjordmq.node.items",
      Kind.COUNTER,
      "event",
      "messages and notices between nodes: sent, sent again, overdue (their publishers were not"
          + " acknowledged), received, received again"),
  LOCAL_FILTERS("fjordmq.local.filters", Kind.GAUGE, "", "filters of connected clients"),
  LOCAL_ROUTES("fjordmq.local.routes", Kind.GAUGE, "", "routes this node holds for its clients"),
  LOCAL_ROUTES_LEFTOVER(
      "fjordmq.local.routes.leftover", Kind.GAUGE, "", "of them to be removed as soon as possible"),
  LOCAL_ROUTE_REMOVALS_WAITING(
      "fjordmq.local.route.removals.waiting", Kind.GAUGE, "", "removals that wait for others"),
  PUBLISHES_WAITING("fjordmq.publishes.waiting", Kind.GAUGE, "", "answers held back at the moment"),
  SHARES("fjordmq.shares", Kind.GAUGE, "", "shared subscriptions whose turn is remembered"),
  REPEATING_PUBLISHERS(
      "fjordmq.repeating.publishers",
      Kind.GAUGE,
      "",
      "publishers whose QoS 2 messages are remembered"),
  REPEATABLE_MESSAGES(
      "fjordmq.repeatable.messages",
      Kind.GAUGE,
      "",
      "their messages that connected clients have been given and that may be repeated"),
  REPEATING_PUBLISHERS_FORGOTTEN(
      "fjordmq.repeating.publishers.forgotten",
      Kind.COUNTER,
      "",
      "publishers forgotten because there were too many: what they repeat is delivered again"),

  ROUTES("fjordmq.routes", Kind.GAUGE, "", "routes this node matches against"),
  ROUTE_FILTERS("fjordmq.route.filters", Kind.GAUGE, "", "different filters among them"),
  ROUTE_CACHE_TOPICS("fjordmq.route.cache.topics", Kind.GAUGE, "", "topics with remembered routes"),
  ROUTE_CACHE_HITS("fjordmq.route.cache.hits", Kind.COUNTER, "", "matches that were remembered"),
  ROUTE_CACHE_MISSES("fjordmq.route.cache.misses", Kind.COUNTER, "", "matches made anew"),
  ROUTE_CACHE_INVALIDATIONS(
      "fjordmq.route.cache.invalidations",
      Kind.COUNTER,
      "",
      "topics forgotten because their routes changed"),
  ROUTE_CACHE_EVICTIONS(
      "fjordmq.route.cache.evictions", Kind.COUNTER, "", "topics forgotten to make room"),
  ROUTE_CHANGES_WAITING(
      "fjordmq.route.changes.waiting",
      Kind.GAUGE,
      "",
      "changes of routes that wait until all living nodes have them"),

  INBOXES("fjordmq.inboxes", Kind.GAUGE, "", "persistent sessions this node leads"),
  INBOXES_ATTACHED("fjordmq.inboxes.attached", Kind.GAUGE, "", "of them with a connection"),
  INBOXES_EXPIRED(
      "fjordmq.inboxes.expired",
      Kind.COUNTER,
      "",
      "of them ended: the client stayed away too long"),
  INBOX_SUBSCRIPTIONS("fjordmq.inbox.subscriptions", Kind.GAUGE, "", "their subscriptions"),
  INBOX_MESSAGES("fjordmq.inbox.messages", Kind.GAUGE, "", "their undelivered messages"),
  INBOX_OUTCOMES(
      "fjordmq.inbox.outcomes", Kind.COUNTER, "outcome", "what became of copies for them"),
  INBOX_INSERT("fjordmq.inbox.insert", Kind.TIMER, "", "storing a message in all its inboxes"),
  INBOX_FETCH("fjordmq.inbox.fetch", Kind.TIMER, "", "reading stored messages"),
  INBOX_FETCHED("fjordmq.inbox.fetched", Kind.COUNTER, "", "stored messages that were read"),
  INBOX_COMMIT("fjordmq.inbox.commit", Kind.TIMER, "", "replicating acknowledgements"),
  INBOX_RETRIES(
      "fjordmq.inbox.retries",
      Kind.COUNTER,
      "",
      "acknowledgements and detaches that a busy range refused, tried again"),
  INBOX_SWEEP(
      "fjordmq.inbox.sweep", Kind.TIMER, "result", "looking for expired sessions and due wills"),
  RETAINED_MESSAGES("fjordmq.retained.messages", Kind.GAUGE, "", "retained messages here"),

  RANGES("fjordmq.ranges", Kind.GAUGE, "store", "replicas of ranges on this node"),
  RANGES_LED("fjordmq.ranges.led", Kind.GAUGE, "store", "of them led by this node"),
  RANGES_HALTED("fjordmq.ranges.halted", Kind.GAUGE, "store", "of them out of service"),
  RANGE_LOG_BYTES(
      "fjordmq.range.log.bytes",
      Kind.GAUGE,
      "store",
      "log since the last checkpoint: what a restart applies again"),
  RANGE_SENDERS("fjordmq.range.senders", Kind.GAUGE, "store", "callers the replicas remember"),
  RANGE_SENDERS_FORGOTTEN(
      "fjordmq.range.senders.forgotten", Kind.COUNTER, "store", "callers forgotten to make room"),
  RANGE_QUEUE_COMMANDS(
      "fjordmq.range.queue.commands", Kind.GAUGE, "store", "commands waiting for a batch"),
  RANGE_QUEUE_BYTES("fjordmq.range.queue.bytes", Kind.GAUGE, "store", "their bytes"),
  RANGE_QUERIES_IN_FLIGHT(
      "fjordmq.range.queries.in.flight", Kind.GAUGE, "store", "queries sent and not answered"),
  RANGE_BATCH("fjordmq.range.batch", Kind.TIMER, "store", "from sending a batch to its answer"),
  RANGE_COMMANDS("fjordmq.range.commands", Kind.COUNTER, "store", "commands sent in batches"),
  RANGE_COMMAND_BYTES("fjordmq.range.command.bytes", Kind.COUNTER, "store", "their bytes"),
  RANGE_BUSY(
      "fjordmq.range.busy", Kind.COUNTER, "store", "commands refused because a queue was full"),
  RANGE_RETRIES("fjordmq.range.retries", Kind.COUNTER, "store", "batches and queries repeated"),
  RANGE_REDIRECTS(
      "fjordmq.range.redirects", Kind.COUNTER, "store", "answers that named another leader"),
  RANGE_TIMEOUTS("fjordmq.range.timeouts", Kind.COUNTER, "store", "batches and queries given up"),
  RANGE_PROPOSAL(
      "fjordmq.range.proposal",
      Kind.TIMER,
      "store",
      "from proposing an entry to having applied it"),
  RANGE_APPLY("fjordmq.range.apply", Kind.TIMER, "store", "executing and writing entries"),
  RANGE_APPLIED_COMMANDS(
      "fjordmq.range.applied.commands",
      Kind.COUNTER,
      "store",
      "commands executed by the replicas here, led here or not: its rate is what the votes of this"
          + " node cost it, which placement evens out"),
  RANGE_APPLIED_BYTES(
      "fjordmq.range.applied.bytes", Kind.COUNTER, "store", "written to the storage for them"),
  RANGE_DUPLICATES(
      "fjordmq.range.duplicates", Kind.COUNTER, "store", "batches recognised as applied before"),
  RANGE_QUERY("fjordmq.range.query", Kind.TIMER, "store", "answering a query"),
  RANGE_HALTS("fjordmq.range.halts", Kind.COUNTER, "store", "replicas stopped by an error"),
  RANGE_REBUILDS(
      "fjordmq.range.rebuilds",
      Kind.COUNTER,
      "store",
      "broken replicas of this node removed, to be replaced by empty ones that fetch a copy"),
  RANGE_SPLITS("fjordmq.range.splits", Kind.COUNTER, "store", "splits applied by replicas"),
  RANGE_MERGES("fjordmq.range.merges", Kind.COUNTER, "store", "merges applied by replicas"),
  RANGE_DECISIONS(
      "fjordmq.range.decisions",
      Kind.COUNTER,
      "store, decision",
      "judgements of ranges led here, one a second for each: split, merge, or why neither"),
  RANGE_BUSIEST_REQUESTS(
      "fjordmq.range.busiest.requests",
      Kind.GAUGE,
      "store",
      "commands and queries per second of the range led here that has most"),
  RANGE_BUSIEST_PERCENT(
      "fjordmq.range.busiest.percent",
      Kind.GAUGE,
      "store",
      "of a second that the busiest apply thread of a range led here works"),
  RANGE_LARGEST_BYTES(
      "fjordmq.range.largest.bytes",
      Kind.GAUGE,
      "store",
      "estimated bytes of the largest range led by this node"),
  RANGE_CHECKPOINT(
      "fjordmq.range.checkpoint", Kind.TIMER, "", "making the state of all ranges durable"),

  RAFT_FSYNC("fjordmq.raft.fsync", Kind.TIMER, "", "writing and syncing a batch of log entries"),
  RAFT_ENTRIES("fjordmq.raft.entries", Kind.COUNTER, "", "log entries written"),
  RAFT_BYTES("fjordmq.raft.bytes", Kind.COUNTER, "", "their bytes"),
  RAFT_GROUPS("fjordmq.raft.groups", Kind.GAUGE, "", "groups open on this node"),
  RAFT_GROUPS_LED("fjordmq.raft.groups.led", Kind.GAUGE, "", "of them led by this node"),
  RAFT_LOG_ENTRIES("fjordmq.raft.log.entries", Kind.GAUGE, "", "entries their logs hold"),
  RAFT_UNAPPLIED("fjordmq.raft.unapplied", Kind.GAUGE, "", "committed entries not applied yet"),
  RAFT_ELECTIONS("fjordmq.raft.elections", Kind.COUNTER, "", "times this node became leader"),
  RAFT_STEP_DOWNS("fjordmq.raft.step.downs", Kind.COUNTER, "", "times it ceased to be"),
  RAFT_HALTS("fjordmq.raft.halts", Kind.COUNTER, "", "replicas stopped by an error"),
  RAFT_PROPOSALS_FAILED(
      "fjordmq.raft.proposals.failed", Kind.COUNTER, "kind", "entries not applied; busy is load"),
  RAFT_TRAFFIC_DROPPED(
      "fjordmq.raft.traffic.dropped", Kind.COUNTER, "reason", "messages between nodes not sent"),

  RAFT_LOG_FAILED("fjordmq.raft.log.failed", Kind.GAUGE, "", "1 if the log takes no writes"),

  DISK_FREE_BYTES("fjordmq.disk.free.bytes", Kind.GAUGE, "", "free on the disk of dataDir"),
  CLOCK_DIFFERENCE(
      "fjordmq.clock.difference.seconds",
      Kind.GAUGE,
      "",
      "how far this machine's wall clock is ahead of cluster time, negative if it is behind"),
  DISK_LOW("fjordmq.disk.low", Kind.GAUGE, "", "1 if too little is: publishes are refused"),
  STORAGE_FAILED("fjordmq.storage.failed", Kind.GAUGE, "", "1 if the storage takes no writes"),
  STORAGE_UNWRITTEN_BYTES(
      "fjordmq.storage.unwritten.bytes", Kind.GAUGE, "", "rows kept out of RocksDB for a while"),
  STORAGE_MEMTABLE_BYTES(
      "fjordmq.storage.memtable.bytes", Kind.GAUGE, "", "written and not yet in a table (RocksDB)"),
  STORAGE_CACHE_BYTES("fjordmq.storage.cache.bytes", Kind.GAUGE, "", "cached table blocks"),
  STORAGE_TABLE_BYTES("fjordmq.storage.table.bytes", Kind.GAUGE, "", "size of all tables"),
  STORAGE_PENDING_COMPACTION_BYTES(
      "fjordmq.storage.pending.compaction.bytes", Kind.GAUGE, "", "work left for the background"),
  STORAGE_WRITE_STOPPED(
      "fjordmq.storage.write.stopped", Kind.GAUGE, "", "1 if writers wait for the background"),
  STORAGE_BACKGROUND_ERRORS(
      "fjordmq.storage.background.errors", Kind.GAUGE, "", "errors of flushes and compactions"),

  NETTY_DIRECT_BYTES(
      "fjordmq.netty.direct.bytes", Kind.GAUGE, "", "direct memory taken for network buffers");

  /** How a metric behaves. */
  enum Kind {
    /** Goes up and down. */
    GAUGE,
    /** Only goes up. */
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

  /** Name with dots, as Micrometer has it. */
  String id() {
    return id;
  }

  Kind kind() {
    return kind;
  }

  /** Names of its labels, separated by a comma and a blank; empty if it has none. */
  String labels() {
    return labels;
  }

  String meaning() {
    return meaning;
  }

  /** Name in Prometheus' format. */
  String exposedName() {
    String name = id.replace('.', '_');
    return switch (kind) {
      case GAUGE -> name;
      case COUNTER -> name + "_total";
      case TIMER -> name + "_seconds";
    };
  }
}
