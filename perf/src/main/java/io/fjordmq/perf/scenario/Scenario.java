package io.fjordmq.perf.scenario;

import java.util.ArrayList;
import java.util.List;

/**
 * A named load with the cluster and the clients that it needs.
 *
 * @param name name, as in published benchmark reports
 * @param flow which clients receive which messages
 * @param seconds default measured period
 * @param published results that others have published for this scenario, from other hosts; empty if
 *     unknown
 */
public record Scenario(
    String name,
    Flow flow,
    Clients clients,
    Traffic traffic,
    Connections connections,
    Cluster cluster,
    int seconds,
    String published) {
  /** Size of the header of every payload; see {@code load.Payload}. */
  public static final int MIN_PAYLOAD_BYTES = 20;

  /** Approximate size of a PUBLISH without its payload. */
  private static final int HEAD_BYTES = 40;

  public Scenario {
    List<String> errors = new ArrayList<>();
    if (clients.total() < 1) {
      errors.add("there must be at least one client");
    }
    if (cluster.nodes() < 1 || cluster.voters() > cluster.nodes()) {
      errors.add(cluster.nodes() + " nodes are not enough for " + cluster.voters() + " voters");
    }
    if (seconds < 1) {
      errors.add("the duration must be at least 1 s");
    }
    if (connections.clientChurn().percent() > 0 && flow != Flow.PAIRS && flow != Flow.MUTUAL) {
      errors.add(
          "clients can disconnect and reconnect (leavingPercent) only with the flows pairs and"
              + " mutual");
    }
    if (flow != Flow.CONNECTIONS) {
      checkTraffic(traffic, clients, errors);
    }
    switch (flow) {
      case CONNECTIONS -> {
        if (clients.publishers() + clients.subscribers() > 0 || connections.perSecond() <= 0) {
          errors.add("flow 'connections' requires idle clients and a connection rate");
        }
      }
      case PAIRS -> {
        if (clients.publishers() != clients.subscribers()) {
          errors.add("flow 'pairs' requires as many publishers as subscribers");
        }
        if (clients.apart() && cluster.nodes() < 2) {
          errors.add("pairs on different nodes require at least two nodes");
        }
      }
      case SHARED -> {
        if (clients.subscribers() < 1) {
          errors.add("a shared subscription requires at least one member");
        }
      }
      case TOPICS -> {
        if (clients.topics() < 1) {
          errors.add("flow 'topics' requires at least one topic");
        }
      }
      case MUTUAL -> {
        if (clients.publishers() % 2 != 0 || clients.subscribers() != 0) {
          errors.add("flow 'mutual' requires an even number of publishers and no subscribers");
        }
      }
    }
    if (!errors.isEmpty()) {
      throw new UsageException(String.join("; ", errors));
    }
  }

  private static void checkTraffic(Traffic traffic, Clients clients, List<String> errors) {
    if (clients.publishers() < 1 || traffic.perSecond() <= 0) {
      errors.add("there must be publishers with a rate above 0");
    }
    if (traffic.payloadBytes() < MIN_PAYLOAD_BYTES) {
      errors.add(
          "the payload must have at least %d bytes to identify a message, not %d"
              .formatted(MIN_PAYLOAD_BYTES, traffic.payloadBytes()));
    }
    int percent = traffic.qosPercent();
    if (traffic.qos() < 0 || traffic.qos() > 2) {
      errors.add("QoS must be 0, 1 or 2, not " + traffic.qos());
    }
    if (percent < 1 || 100 % percent != 0) {
      errors.add("qosPercent must be 100 or a divisor of it, not " + percent);
    }
  }

  /** Returns this scenario with other users. */
  public Scenario with(ClientUsers users) {
    return new Scenario(
        name, flow, clients, traffic, connections.with(users), cluster, seconds, published);
  }

  /** Returns this scenario without limits on the nodes. */
  public Scenario withoutNodeLimits() {
    return new Scenario(
        name, flow, clients, traffic, connections, cluster.withoutLimits(), seconds, published);
  }

  /**
   * Returns the approximate number of bytes per second that the busiest client sends or receives,
   * whichever is more, including topics and MQTT overhead.
   */
  public double busiestClientBytesPerSecond() {
    double received =
        switch (flow) {
          case CONNECTIONS -> 0;
          case PAIRS, MUTUAL -> traffic.perSecond();
          case SHARED -> publishesPerSecond() / clients.subscribers();
          case TOPICS ->
              clients.subscribers() == 0
                  ? 0
                  : traffic.perSecond()
                      * Math.ceil((double) clients.publishers() / clients.topics());
        };
    if (clients.collectors() > 0) {
      received = publishesPerSecond();
    }
    return Math.max(received, traffic.perSecond()) * (traffic.payloadBytes() + HEAD_BYTES);
  }

  /** Returns the number of messages that all publishers together send per second. */
  public double publishesPerSecond() {
    return clients.publishers() * traffic.perSecond();
  }

  /** Returns a one-line description. */
  public String summary() {
    StringBuilder out = new StringBuilder();
    out.append(
        switch (flow) {
          case CONNECTIONS ->
              clients.idle() + " connections at " + plain(connections.perSecond()) + "/s";
          case PAIRS ->
              clients.publishers()
                  + " publishers, each to its own subscriber"
                  + (clients.apart() ? " on another node" : "");
          case SHARED ->
              "%d publishers to one shared subscription with %d members"
                  .formatted(clients.publishers(), clients.subscribers());
          case TOPICS ->
              "%s to %d subscribers over %s"
                  .formatted(
                      counted(clients.publishers(), "publisher"),
                      clients.subscribers(),
                      counted(clients.topics(), "topic"));
          case MUTUAL -> clients.publishers() + " clients, each to its partner and back";
        });
    if (flow != Flow.CONNECTIONS) {
      out.append(
          ", " + plain(traffic.perSecond()) + " msg/s each of " + traffic.payloadBytes() + " B, ");
      out.append(traffic.qosPercent() == 100 ? "" : traffic.qosPercent() + " % ");
      out.append("QoS " + traffic.qos());
      if (clients.idle() > 0) {
        out.append(", beside " + clients.idle() + " idle");
      }
      if (clients.collectors() > 0) {
        out.append(", and " + clients.collectors() + " that receives everything");
      }
    }
    ClientChurn clientChurn = connections.clientChurn();
    if (clientChurn.percent() > 0) {
      out.append("; " + plain(clientChurn.percent()) + " % of the publishers and subscribers");
      out.append(" disconnect after " + clientChurn.minSeconds() + " to ");
      out.append(clientChurn.maxSeconds() + " s and reconnect");
    }
    out.append(connections.persistent() ? "; persistent" : "; clean");
    out.append(connections.version() == 5 ? ", MQTT 5" : "");
    if (connections.users().exist()) {
      out.append(", one user each (" + connections.users().store() + ")");
    }
    out.append(
        switch (connections.transport()) {
          case TCP -> "";
          case TLS -> ", TLS";
          case MTLS -> ", mutual TLS";
        });
    out.append("; " + counted(cluster.nodes(), "node"));
    out.append(cluster.limits().isNone() ? "" : " of " + cluster.limits());
    out.append(cluster.voters() > 0 ? ", voters: " + cluster.voters() : "");
    return out + (cluster.cold() ? ", cold" : "");
  }

  private static String counted(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
