package io.fjordmq.broker.simulation;

/**
 * Who a model client is.
 *
 * @param level 4 (MQTT 3.1.1) or 5
 * @param expirySeconds how long its sessions outlive their connections; 0: they do not
 * @param steady keeps its session and its subscriptions, so that what is owed to it is sure
 * @param receiveMaximum said in the CONNECT by MQTT 5 clients
 */
record Character(
    String clientId, int level, long expirySeconds, boolean steady, int receiveMaximum) {
  private static final long LONG = 50_000;

  static Character persistent(String clientId, int level, int receiveMaximum) {
    return new Character(clientId, level, LONG, false, receiveMaximum);
  }

  /** Its sessions end with their connections. */
  static Character passing(String clientId, int level, int receiveMaximum) {
    return new Character(clientId, level, 0, false, receiveMaximum);
  }

  static Character steady(String clientId, int level, int receiveMaximum) {
    return new Character(clientId, level, LONG, true, receiveMaximum);
  }

  /** Of MQTT 5: away longer, it must find nothing of its session. */
  static Character forgetful(String clientId, long expirySeconds) {
    return new Character(clientId, 5, expirySeconds, false, 100);
  }

  boolean isPersistent() {
    return expirySeconds > 0;
  }
}
