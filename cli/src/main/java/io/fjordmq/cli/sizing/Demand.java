package io.fjordmq.cli.sizing;

import static io.fjordmq.cli.sizing.UnitCost.CLEAN_QOS_0;
import static io.fjordmq.cli.sizing.UnitCost.CLEAN_QOS_1;
import static io.fjordmq.cli.sizing.UnitCost.CLEAN_SESSION;
import static io.fjordmq.cli.sizing.UnitCost.CONNECTION;
import static io.fjordmq.cli.sizing.UnitCost.CONNECT_CLEAN;
import static io.fjordmq.cli.sizing.UnitCost.CONNECT_PERSISTENT;
import static io.fjordmq.cli.sizing.UnitCost.DATABASE_MEMORY;
import static io.fjordmq.cli.sizing.UnitCost.FAN_OUT_QOS_0;
import static io.fjordmq.cli.sizing.UnitCost.FAN_OUT_QOS_1;
import static io.fjordmq.cli.sizing.UnitCost.IDLE_NODE;
import static io.fjordmq.cli.sizing.UnitCost.NODE_MEMORY;
import static io.fjordmq.cli.sizing.UnitCost.PACKET;
import static io.fjordmq.cli.sizing.UnitCost.PERSISTENT_SESSION;
import static io.fjordmq.cli.sizing.UnitCost.RETAINED_MESSAGE;
import static io.fjordmq.cli.sizing.UnitCost.ROUTE;
import static io.fjordmq.cli.sizing.UnitCost.ROUTE_CHANGE;
import static io.fjordmq.cli.sizing.UnitCost.ROUTE_ROW;
import static io.fjordmq.cli.sizing.UnitCost.STORED_MESSAGE;
import static io.fjordmq.cli.sizing.UnitCost.TLS_CONNECTION;
import static io.fjordmq.cli.sizing.UnitCost.TLS_HANDSHAKE;

/**
 * The resources that a workload needs on each of a number of nodes that share it evenly. Times are
 * in µs of CPU per second.
 */
final class Demand {
  private static final double MICROS = 1_000_000;

  /** A subscriber of many: the message is encoded once and costs less for each. */
  private static final double FAN_OUT = 10;

  /** The nodes and voters of the measurement of {@link RateCost#THREE_VOTERS}. */
  private static final int MEASURED_NODES = 3;

  /** Garbage that a heap holds besides live objects, as a part of them. */
  private static final double HEAP_FACTOR = 1.5;

  /** Space that deleted rows and running compactions occupy, as a multiple of live rows. */
  private static final double DISK_FACTOR = 2;

  /** Write-ahead logs and Raft logs that no checkpoint covers yet. */
  private static final double LOG_BYTES = 2_000_000_000;

  private final Workload work;
  private final int nodes;

  /**
   * @param nodes nodes that are up, at least 1
   */
  Demand(Workload work, int nodes) {
    this.work = work;
    this.nodes = nodes;
  }

  NodeSize perNode() {
    return new NodeSize(cpuMicros() / MICROS, memoryBytes(), diskBytes(), networkBytes());
  }

  private double cpuMicros() {
    double shared = cleanMicros() + persistentMicros() + forwardedMicros() + connectionMicros();
    return IDLE_NODE.value() + shared / nodes + routeChanges() * ROUTE_CHANGE.value();
  }

  private double cleanMicros() {
    double cleanRatio = 1 - persistentRatio();
    double in = work.publishes() * message();
    double out = work.deliveries() * (isFanOut() ? fanOut() : message());
    return cleanRatio * (in + out);
  }

  private double persistentMicros() {
    double messages = (work.publishes() + work.deliveries()) * persistentRatio();
    double rate = work.publishes() * persistentRatio() / nodes;
    double micros =
        work.voters() == 1
            ? RateCost.ONE_VOTER.micros(rate)
            : RateCost.THREE_VOTERS.micros(rate * MEASURED_NODES) * work.voters() / MEASURED_NODES;
    return messages * micros * qosFactor();
  }

  /** A message of QoS 0 is not stored, not even for a persistent session that is connected. */
  private double persistentRatio() {
    return work.qos() == 0 ? 0 : work.persistentRatio();
  }

  /** With several voters, the measured cost of a message contains its way between the nodes. */
  private double forwardedMicros() {
    if (nodes == 1) {
      return 0;
    }
    double stored = work.voters() == 1 ? 0 : persistentRatio();
    double forwarded = forwarded() * (1 - stored);
    return forwarded * RateCost.BETWEEN_NODES.micros(forwarded / nodes);
  }

  /** Messages that nodes forward, per second: one for each other node with a subscriber. */
  private double forwarded() {
    double perPublish =
        work.publishes() == 0 ? 0 : Math.min(work.deliveries() / work.publishes(), nodes);
    return work.publishes() * perPublish * (nodes - 1) / nodes;
  }

  private double connectionMicros() {
    double persistent = work.persistentRatio();
    double connect =
        CONNECT_CLEAN.value() * (1 - persistent)
            + CONNECT_PERSISTENT.value() * persistent
            + TLS_HANDSHAKE.value() * work.tlsRatio()
            + work.login().micros();
    double pings =
        work.keepAliveSeconds() == 0 ? 0 : (double) work.clients() / work.keepAliveSeconds();
    return work.connects() * connect + pings * 2 * CLEAN_QOS_0.value();
  }

  /** Changes of routes per second, which every node applies. */
  double routeChanges() {
    return work.connects() * (1 - work.persistentRatio()) * work.subscriptions() * 2;
  }

  private boolean isFanOut() {
    return work.deliveries() >= FAN_OUT * work.publishes();
  }

  private double message() {
    return (work.qos() == 0 ? CLEAN_QOS_0.value() : CLEAN_QOS_1.value()) * qosFactor();
  }

  private double fanOut() {
    return (work.qos() == 0 ? FAN_OUT_QOS_0.value() : FAN_OUT_QOS_1.value()) * qosFactor();
  }

  /** QoS 2 exchanges twice as many packets as QoS 1. */
  private int qosFactor() {
    return work.qos() == 2 ? 2 : 1;
  }

  private double memoryBytes() {
    double clients = (double) work.clients() / nodes;
    double session =
        CLEAN_SESSION.value() * (1 - work.persistentRatio())
            + PERSISTENT_SESSION.value() * work.persistentRatio();
    double connection =
        CONNECTION.value() * (1 - work.tlsRatio()) + TLS_CONNECTION.value() * work.tlsRatio();
    double heap =
        clients * session
            + work.routes() * ROUTE.value()
            + copies(work.retained()) * RETAINED_MESSAGE.value();
    return NODE_MEMORY.value()
        + DATABASE_MEMORY.value()
        + clients * connection
        + heap * HEAP_FACTOR;
  }

  private double diskBytes() {
    double stored = copies(work.queued() + work.retained());
    double rows =
        stored * (work.payloadBytes() + STORED_MESSAGE.value()) + work.routes() * ROUTE_ROW.value();
    return LOG_BYTES + rows * DISK_FACTOR;
  }

  /** Returns how many of the replicated rows a node holds on average. */
  private double copies(double rows) {
    return rows * Math.min(work.voters(), nodes) / nodes;
  }

  private double networkBytes() {
    double packet = work.payloadBytes() + PACKET.value();
    double acknowledgement = work.qos() == 0 ? 0 : PACKET.value() * qosFactor();
    double between = forwarded() + work.publishes() * persistentRatio() * (work.voters() - 1);
    double in = work.publishes() * packet + work.deliveries() * acknowledgement;
    double out = work.deliveries() * packet + work.publishes() * acknowledgement;
    return (Math.max(in, out) + between * packet) / nodes;
  }
}
