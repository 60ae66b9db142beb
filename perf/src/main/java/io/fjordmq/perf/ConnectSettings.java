package io.fjordmq.perf;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a client's CONNECT.
 *
 * @param clientId client identifier
 * @param version MQTT version: 4 (3.1.1) or 5
 * @param clean whether the session ends with the connection
 * @param keepAliveSeconds interval of PINGREQ; 0 for none
 * @param credentials null for none
 */
public record ConnectSettings(
    String clientId,
    int version,
    boolean clean,
    int keepAliveSeconds,
    @Nullable Credentials credentials) {
  /**
   * A user name and a password.
   *
   * @param scram proves that the client knows the password, with the enhanced authentication of
   *     MQTT 5; null if the CONNECT contains the password
   */
  public record Credentials(String userName, String password, @Nullable ScramLogin scram) {
    /** Creates credentials that the CONNECT contains. */
    public Credentials(String userName, String password) {
      this(userName, password, null);
    }
  }

  /** MQTT 3.1.1. */
  public static final int MQTT_3 = 4;

  /** MQTT 5. */
  public static final int MQTT_5 = 5;

  public ConnectSettings {
    if (version != MQTT_3 && version != MQTT_5) {
      throw new IllegalArgumentException("MQTT version must be 4 (3.1.1) or 5, not " + version);
    }
    if (keepAliveSeconds < 0 || keepAliveSeconds > 65_535) {
      throw new IllegalArgumentException(
          "keep alive must be between 0 and 65535 s, not " + keepAliveSeconds);
    }
    if (version != MQTT_5 && credentials != null && credentials.scram() != null) {
      throw new IllegalArgumentException("SCRAM requires MQTT 5");
    }
  }

  /** Creates settings of an anonymous client. */
  public ConnectSettings(String clientId, int version, boolean clean, int keepAliveSeconds) {
    this(clientId, version, clean, keepAliveSeconds, null);
  }

  /** Returns settings for MQTT 3.1.1 without keep-alive. */
  public static ConnectSettings simple(String clientId, boolean clean) {
    return new ConnectSettings(clientId, MQTT_3, clean, 0);
  }

  /** Returns how the client proves that it knows its password; null if it sends the password. */
  @Nullable ScramLogin scram() {
    return credentials == null ? null : credentials.scram();
  }

  boolean isMqtt5() {
    return version == MQTT_5;
  }
}
