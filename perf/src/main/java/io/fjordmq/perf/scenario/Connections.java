package io.fjordmq.perf.scenario;

/**
 * How clients connect.
 *
 * @param transport transport below MQTT
 * @param version MQTT version: 4 (3.1.1) or 5
 * @param persistent whether sessions outlive their connections (clean session false)
 * @param perSecond connection rate in an open loop; 0 to connect as fast as the broker accepts
 *     clients
 * @param keepAliveSeconds interval of PINGREQ; 0 for none
 * @param clientChurn clients that disconnect and reconnect
 * @param users user names, passwords and permissions of the clients
 */
public record Connections(
    Transport transport,
    int version,
    boolean persistent,
    double perSecond,
    int keepAliveSeconds,
    ClientChurn clientChurn,
    ClientUsers users) {
  static final int MQTT_3 = 4;
  static final int MQTT_5 = 5;

  public Connections {
    if (version != MQTT_3 && version != MQTT_5) {
      throw new UsageException("mqtt must be 4 (3.1.1) or 5, not " + version);
    }
    if (persistent && clientChurn.percent() > 0) {
      throw new UsageException(
          "clients that disconnect and reconnect (leavingPercent) require clean sessions");
    }
  }

  /** Returns these settings with other users. */
  public Connections with(ClientUsers other) {
    return new Connections(
        transport, version, persistent, perSecond, keepAliveSeconds, clientChurn, other);
  }

  /** The transport below MQTT. */
  public enum Transport {
    TCP,
    /** TLS where only the broker has a certificate. */
    TLS,
    /** TLS where the broker and all clients have certificates. */
    MTLS
  }
}
