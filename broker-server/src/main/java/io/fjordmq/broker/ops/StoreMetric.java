package io.fjordmq.broker.ops;

/** Metrics about the three stores: routes, inboxes and retained messages. */
enum StoreMetric implements Metric {
  ROUTES("fjordmq.routes", Kind.GAUGE, "", "Routes that this node matches messages against"),
  ROUTE_FILTERS(
      "fjordmq.route.filters",
      Kind.GAUGE,
      "",
      "Distinct topic filters among the routes of this node"),
  ROUTE_CACHE_TOPICS("fjordmq.route.cache.topics", Kind.GAUGE, "", "Topics in the route cache"),
  ROUTE_CACHE_HITS(
      "fjordmq.route.cache.hits", Kind.COUNTER, "", "Route lookups served from the cache"),
  ROUTE_CACHE_MISSES(
      "fjordmq.route.cache.misses", Kind.COUNTER, "", "Route lookups not served from the cache"),
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
  ROUTE_BARRIER(
      "fjordmq.route.barrier",
      Kind.TIMER,
      "",
      "Time from committing a route change of this node until all live nodes have applied it; a"
          + " SUBSCRIBE waits this long for its SUBACK. A single node does not wait"),
  ROUTE_BARRIER_WAIT(
      "fjordmq.route.barrier.wait.seconds",
      Kind.COUNTER,
      "node",
      "Seconds that route changes of this node waited; label node names the last node to apply a"
          + " change, or a node that did not apply it in time (other: all nodes beyond the first"
          + " 128)"),
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
      "fjordmq.inbox.insert", Kind.TIMER, "", "Time to store a message in all matching inboxes"),
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
      "Inbox acknowledgements and detaches retried because their range was busy"),
  INBOX_SWEEP(
      "fjordmq.inbox.sweep",
      Kind.TIMER,
      "result",
      "Time to scan inboxes for expired sessions and due wills; result is done or failed"),
  RETAINED_MESSAGES(
      "fjordmq.retained.messages",
      Kind.GAUGE,
      "",
      "Retained messages in the replicas on this node");

  private final Spec spec;

  StoreMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
