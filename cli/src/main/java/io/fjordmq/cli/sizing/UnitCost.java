package io.fjordmq.cli.sizing;

/**
 * A measured cost of one thing, such as a message or a connection. docs/SIZING.md lists all of them
 * with their sources; the load tool and the nodes shared two cores in every measurement.
 */
public enum UnitCost {
  CLEAN_QOS_0("message in or out, clean session, QoS 0", 9.8, Unit.MICROSECONDS),
  CLEAN_QOS_1("message in or out, clean session, QoS 1", 17.9, Unit.MICROSECONDS),
  FAN_OUT_QOS_0("delivery of a message to many subscribers, QoS 0", 12.5, Unit.MICROSECONDS),
  FAN_OUT_QOS_1("delivery of a message to many subscribers, QoS 1", 19.2, Unit.MICROSECONDS),
  CONNECT_CLEAN("connection of a clean session, from start to end", 107, Unit.MICROSECONDS),
  CONNECT_PERSISTENT("reconnection of a persistent session", 436, Unit.MICROSECONDS),
  TLS_HANDSHAKE("TLS handshake, elliptic-curve key", 420, Unit.MICROSECONDS),
  ROUTE_CHANGE("route added or removed, on every node", 5, Unit.MICROSECONDS),
  IDLE_NODE("idle node, per second", 20_000, Unit.MICROSECONDS),

  NODE_MEMORY("node without clients", 180_000_000, Unit.BYTES),
  DATABASE_MEMORY("RocksDB: block cache and memtables", 192L << 20, Unit.BYTES),
  CONNECTION("idle TCP connection", 2_900, Unit.BYTES),
  TLS_CONNECTION("idle TLS connection", 13_200, Unit.BYTES),
  CLEAN_SESSION("clean session with one subscription", 3_390, Unit.BYTES),
  PERSISTENT_SESSION("persistent session with one subscription", 4_900, Unit.BYTES),
  ROUTE("route to a subscription, on every node", 416, Unit.BYTES),
  RETAINED_MESSAGE("retained message without its payload, on each voter", 1_350, Unit.BYTES),

  ROUTE_ROW("route to a subscription, stored on every node", 62, Unit.BYTES),
  STORED_MESSAGE("stored message without its payload, on each voter", 200, Unit.BYTES),
  PACKET("message on the network without its payload: MQTT, TCP and IP headers", 120, Unit.BYTES);

  /** What a cost is measured in. */
  public enum Unit {
    /** CPU time, in µs. */
    MICROSECONDS,
    /** Memory, disk or network. */
    BYTES
  }

  private final String subject;
  private final double value;
  private final Unit unit;

  UnitCost(String subject, double value, Unit unit) {
    this.subject = subject;
    this.value = value;
    this.unit = unit;
  }

  /** What costs this much. */
  public String subject() {
    return subject;
  }

  /** The measured value, in {@link #unit}. */
  public double value() {
    return value;
  }

  public Unit unit() {
    return unit;
  }
}
