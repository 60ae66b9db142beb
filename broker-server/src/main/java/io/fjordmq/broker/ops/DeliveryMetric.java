package io.fjordmq.broker.ops;

/** Metrics about delivery: live sessions, streams to other nodes, local routes and shares. */
enum DeliveryMetric implements Metric {
  PUBLISHES("fjordmq.publishes", Kind.COUNTER, "outcome", "Messages published, by outcome"),
  PUBLISHES_SLOWED(
      "fjordmq.publishes.slowed",
      Kind.COUNTER,
      "",
      "Publish acknowledgements delayed because a receiving event loop or node had fallen behind"),
  RETAINED_READS_EARLY(
      "fjordmq.retained.reads.early",
      Kind.COUNTER,
      "",
      "New subscriptions that read the retained messages although retained messages were still"
          + " being stored after deliveryConfig.maxRetainedWait; they may miss those messages"),
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
      "Unacknowledged messages of shared subscriptions redistributed to another member"),
  ROUTE_CHANGES_FAILED(
      "fjordmq.route.changes.failed", Kind.COUNTER, "", "Failed attempts to add or remove a route"),
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
      "fjordmq.node.streams", Kind.GAUGE, "", "Live nodes to which this node has a message stream"),
  NODE_STREAMS_FULL(
      "fjordmq.node.streams.full",
      Kind.GAUGE,
      "",
      "Streams to other nodes that are full; publishes to these nodes are refused or dropped"),
  NODE_ITEMS_WAITING(
      "fjordmq.node.items.waiting",
      Kind.GAUGE,
      "",
      "Messages and notices for other nodes that are queued or not acknowledged yet"),
  NODE_BYTES_WAITING(
      "fjordmq.node.waiting.bytes",
      Kind.GAUGE,
      "",
      "Bytes of messages and notices for other nodes that are queued or not acknowledged yet"),
  NODE_ITEMS(
      "fjordmq.node.items",
      Kind.COUNTER,
      "event",
      "Messages and notices between nodes; event is sent, resent, overdue (no response in time, so"
          + " the publish was not acknowledged), received or repeated (received again)"),
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
      "Routes of this node that are no longer needed but have not been removed yet"),
  LOCAL_ROUTE_REMOVALS_WAITING(
      "fjordmq.local.route.removals.waiting", Kind.GAUGE, "", "Route removals queued on this node"),
  PUBLISHES_WAITING(
      "fjordmq.publishes.waiting",
      Kind.GAUGE,
      "",
      "Publish acknowledgements currently delayed because a receiving event loop has fallen "
          + "behind"),
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
      "QoS 2 messages that this node tracks to detect duplicates for connected clients"),
  REPEATING_PUBLISHERS_FORGOTTEN(
      "fjordmq.repeating.publishers.forgotten",
      Kind.COUNTER,
      "",
      "QoS 2 publishers that this node stopped tracking because there were too many; messages "
          + "that they resend are delivered again");

  private final Spec spec;

  DeliveryMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
