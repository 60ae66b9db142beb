package io.fjordmq.perf.scenario;

/**
 * How clients connect.
 *
 * @param transport below MQTT
 * @param version of MQTT: 4 (3.1.1) or 5
 * @param persistent sessions outlive their connections (clean session false)
 * @param perSecond new connections a second, in an open loop; 0: as fast as they are accepted
 * @param keepAliveSeconds 0 for none
 */
public record Connections(
    Transport transport, int version, boolean persistent, double perSecond, int keepAliveSeconds) {
  static final int MQTT_3 = 4;
  static final int MQTT_5 = 5;

  public Connections {
    if (version != MQTT_3 && version != MQTT_5) {
      throw new ScenarioException("mqtt is 4 (that is 3.1.1) or 5, not " + version);
    }
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
