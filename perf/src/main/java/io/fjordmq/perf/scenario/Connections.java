package io.fjordmq.perf.scenario;

/**
 * How clients connect.
 *
 * @param transport below MQTT
 * @param version of MQTT: 4 (3.1.1) or 5
 * @param persistent sessions outlive their connections (clean session false)
 * @param perSecond new connections a second, in an open loop; 0: as fast as they are accepted
 * @param keepAliveSeconds 0 for none
 * @param leaving which of them do not stay
 * @param users each has a user name and a password of its own, and rights to its topics only
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
      throw new ScenarioException("mqtt is 4 (that is 3.1.1) or 5, not " + version);
    }
    if (persistent && leaving.percent() > 0) {
      throw new ScenarioException("clients that leave have clean sessions");
    }
  }

  /** The same, by anybody. */
  public Connections withoutUsers() {
    return new Connections(
        transport, version, persistent, perSecond, keepAliveSeconds, leaving, false);
  }

  /** What lies below MQTT. */
  public enum Transport {
    TCP,
    /** Only the broker shows a certificate. */
    TLS,
    /** Both sides show one. */
    MTLS
  }
}
