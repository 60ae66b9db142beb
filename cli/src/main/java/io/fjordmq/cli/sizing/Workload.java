package io.fjordmq.cli.sizing;

/**
 * The load that the clients of a cluster generate. Rates are those of the whole cluster, per
 * second.
 *
 * @param clients connected clients
 * @param offlineSessions persistent sessions of clients that are not connected
 * @param persistentRatio part of the clients with persistent sessions, 0 to 1
 * @param tlsRatio part of the clients that use TLS, 0 to 1
 * @param connects connections
 * @param login where passwords or tokens are checked
 * @param keepAliveSeconds keep alive of a client; 0 if none sends PINGREQ
 * @param subscriptions subscriptions per client, of connected and offline ones
 * @param publishes messages from clients
 * @param deliveries messages to clients
 * @param qos 0, 1 or 2, of both
 * @param payloadBytes size of a payload
 * @param queued messages that wait for offline sessions
 * @param retained retained messages
 * @param voters replicas of each range that store an acknowledged message
 */
public record Workload(
    long clients,
    long offlineSessions,
    double persistentRatio,
    double tlsRatio,
    double connects,
    LoginCost login,
    int keepAliveSeconds,
    double subscriptions,
    double publishes,
    double deliveries,
    int qos,
    int payloadBytes,
    long queued,
    long retained,
    int voters) {

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public Workload {
    require(clients >= 0, "clients", clients);
    require(offlineSessions >= 0, "offline sessions", offlineSessions);
    require(persistentRatio >= 0 && persistentRatio <= 1, "persistent ratio", persistentRatio);
    require(tlsRatio >= 0 && tlsRatio <= 1, "TLS ratio", tlsRatio);
    require(connects >= 0, "connects", connects);
    require(keepAliveSeconds >= 0, "keep alive", keepAliveSeconds);
    require(subscriptions >= 0, "subscriptions", subscriptions);
    require(publishes >= 0, "publishes", publishes);
    require(deliveries >= 0, "deliveries", deliveries);
    require(qos >= 0 && qos <= 2, "QoS", qos);
    require(payloadBytes >= 0, "payload", payloadBytes);
    require(queued >= 0, "queued messages", queued);
    require(retained >= 0, "retained messages", retained);
    require(voters % 2 == 1 && voters > 0, "voters", voters);
  }

  private static void require(boolean holds, String name, Number value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " cannot be " + value);
    }
  }

  /** Returns the workload with everything but sizes and ratios multiplied. */
  Workload times(double factor) {
    return new Workload(
        Math.round(clients * factor),
        Math.round(offlineSessions * factor),
        persistentRatio,
        tlsRatio,
        connects * factor,
        login,
        keepAliveSeconds,
        subscriptions,
        publishes * factor,
        deliveries * factor,
        qos,
        payloadBytes,
        Math.round(queued * factor),
        Math.round(retained * factor),
        voters);
  }

  /** Returns the number of routes, which every node holds. */
  double routes() {
    return (clients + offlineSessions) * subscriptions;
  }
}
