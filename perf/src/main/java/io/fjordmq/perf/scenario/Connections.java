package io.fjordmq.perf.scenario;

/**
 * How clients connect.
 *
 * @param transport below MQTT
 * @param version of MQTT: 4 (3.1.1) or 5
 * @param persistent sessions outlive their connections (clean session false)
 * @param perSecond connection rate in an open loop; 0: as fast as they are accepted
 * @param keepAliveSeconds 0 for none
 * @param leaving clients that disconnect and return
 * @param users each client has its own user name and password, and access to its own topics only
 */
public record Connections(
    Transport transport,
    int version,
    boolean persistent,
    double perSecond,
    int keepAliveSeconds,
    Leaving leaving,
    boolean users) {
  static final int MQTT_3 = 4;
  static final int MQTT_5 = 5;

  public Connections {
    if (version != MQTT_3 && version != MQTT_5) {
      throw new ScenarioException("mqtt must be 4 (3.1.1) or 5, not " + version);
    }
    if (persistent && leaving.percent() > 0) {
      throw new ScenarioException("leaving clients require clean sessions");
    }
  }

  /** The same with anonymous clients. */
  public Connections withoutUsers() {
    return new Connections(
        transport, version, persistent, perSecond, keepAliveSeconds, leaving, false);
  }

  /** The transport below MQTT. */
  public enum Transport {
    TCP,
    /** Only the broker has a certificate. */
    TLS,
    /** Broker and clients have certificates. */
    MTLS
  }
}
