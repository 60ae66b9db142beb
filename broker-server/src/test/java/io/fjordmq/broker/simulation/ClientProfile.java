package io.fjordmq.broker.simulation;

/**
 * The fixed properties of a model client.
 *
 * @param level 4 (MQTT 3.1.1) or 5
 * @param expirySeconds how long its sessions outlive their connections; 0: they do not
 * @param steady keeps its session and subscriptions, so that the messages due to it are certain
 * @param receiveMaximum sent in the CONNECT by MQTT 5 clients
 */
record ClientProfile(
    String clientId, int level, long expirySeconds, boolean steady, int receiveMaximum) {
  private static final long LONG = 50_000;

  static ClientProfile persistent(String clientId, int level, int receiveMaximum) {
    return new ClientProfile(clientId, level, LONG, false, receiveMaximum);
  }

  /** Its sessions end with their connections. */
  static ClientProfile withTransientSession(String clientId, int level, int receiveMaximum) {
    return new ClientProfile(clientId, level, 0, false, receiveMaximum);
  }

  static ClientProfile steady(String clientId, int level, int receiveMaximum) {
    return new ClientProfile(clientId, level, LONG, true, receiveMaximum);
  }

  /** An MQTT 5 client that stays offline longer than its expiry and must find no session. */
  static ClientProfile withShortExpiry(String clientId, long expirySeconds) {
    return new ClientProfile(clientId, 5, expirySeconds, false, 100);
  }

  boolean isPersistent() {
    return expirySeconds > 0;
  }
}
