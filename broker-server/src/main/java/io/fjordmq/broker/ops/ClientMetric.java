package io.fjordmq.broker.ops;

/** Metrics about clients: connections, limits, packets and messages. */
enum ClientMetric implements Metric {
  CONNECTIONS("fjordmq.connections", Kind.GAUGE, "", "Clients connected"),
  LISTENER_CONNECTIONS(
      "fjordmq.listener.connections",
      Kind.GAUGE,
      "listener, protocol",
      "Open connections of a listener, including those that have not sent a CONNECT yet; protocol"
          + " is tcp, ssl, ws, wss or unix"),
  LISTENER_CONNECTIONS_LIMIT(
      "fjordmq.listener.connections.limit",
      Kind.GAUGE,
      "listener, protocol",
      "Maximum number of open connections of a listener (maxConnections)"),
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
      "Client connections that this node does not read from, because the client is throttled or "
          + "the node has no valid lease"),
  LIMITS_REACHED(
      "fjordmq.limits.reached",
      Kind.COUNTER,
      "limit, tenant",
      "Times a client reached a limit (docs/LIMITS.md); tenant is empty unless the tenant has its"
          + " own limits"),
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
      "Work refused because this node's lease had expired or the cluster had not admitted the node"
          + " yet"),
  HEAP_USED(
      "fjordmq.heap.used.ratio",
      Kind.GAUGE,
      "",
      "Heap used by long-lived objects after the last garbage collection, as a fraction of the"
          + " maximum heap (0 to 1); 0 before the first collection"),
  DIRECT_MEMORY_USED(
      "fjordmq.direct.memory.used.ratio",
      Kind.GAUGE,
      "",
      "Direct memory used by network buffers, as a fraction of the maximum (0 to 1)"),
  EVENT_LOOP_LAG(
      "fjordmq.event.loop.lag.seconds",
      Kind.GAUGE,
      "",
      "Delay with which the slowest event loop starts a task"),
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
      "Reloads of changed certificate files; outcome is loaded or rejected"),
  TLS_CERTIFICATE_EXPIRY(
      "fjordmq.tls.certificate.expiry.timestamp.seconds",
      Kind.GAUGE,
      "",
      "Earliest expiry time of the certificates of listeners and of the HTTP port, in Unix time; 0"
          + " if there are no certificates"),
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
      "fjordmq.received.bytes",
      Kind.COUNTER,
      "",
      "Bytes received from clients in MQTT control packets"),
  PACKETS_SENT("fjordmq.packets.sent", Kind.COUNTER, "", "MQTT control packets sent to clients"),
  BYTES_SENT(
      "fjordmq.sent.bytes",
      Kind.COUNTER,
      "",
      "Bytes sent to clients in MQTT control packets, excluding CONNACK, SUBACK, UNSUBACK and"
          + " DISCONNECT"),
  MESSAGES_RECEIVED(
      "fjordmq.messages.received", Kind.COUNTER, "qos", "PUBLISH packets received from clients"),
  MESSAGES_RECEIVED_BYTES(
      "fjordmq.messages.received.bytes",
      Kind.COUNTER,
      "qos",
      "Bytes of PUBLISH packets received from clients, including headers"),
  MESSAGES_SENT("fjordmq.messages.sent", Kind.COUNTER, "qos", "PUBLISH packets sent to clients"),
  MESSAGES_SENT_BYTES(
      "fjordmq.messages.sent.bytes",
      Kind.COUNTER,
      "qos",
      "Bytes of PUBLISH packets sent to clients, including headers"),
  MESSAGES_DROPPED(
      "fjordmq.messages.dropped",
      Kind.COUNTER,
      "at, reason",
      "Message copies dropped before delivery; at is where they were dropped: session, delivery "
          + "or inbox"),
  MESSAGES_INFLIGHT(
      "fjordmq.messages.inflight",
      Kind.GAUGE,
      "",
      "QoS 1 and 2 messages sent to clients but not acknowledged yet"),
  MESSAGES_QUEUED(
      "fjordmq.messages.queued",
      Kind.GAUGE,
      "",
      "Messages queued in memory for delivery to clients"),
  MESSAGES_QUEUED_BYTES(
      "fjordmq.messages.queued.bytes",
      Kind.GAUGE,
      "",
      "Payload bytes of messages queued in memory for delivery to clients"),
  PUBLISH_ACK(
      "fjordmq.publish.ack",
      Kind.TIMER,
      "",
      "Time from reading a QoS 1 or 2 PUBLISH to sending its PUBACK or PUBREC"),
  PUBLISH_DELIVER(
      "fjordmq.publish.deliver",
      Kind.TIMER,
      "",
      "Time from accepting a PUBLISH on any node to writing it to a subscriber that was connected"
          + " when it was accepted, in whole milliseconds; a sample: messages accepted in one of"
          + " every 64 milliseconds, without those sent with the RETAIN flag");

  private final Spec spec;

  ClientMetric(String id, Kind kind, String labels, String help) {
    this.spec = new Spec(id, kind, labels, help);
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
