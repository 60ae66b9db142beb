package io.fjordmq.perf;

import org.jspecify.annotations.Nullable;

/**
 * The CONNECT of a client.
 *
 * @param clientId client identifier
 * @param version of MQTT: 4 (3.1.1) or 5
 * @param clean the session ends with the connection
 * @param keepAliveSeconds interval of PINGREQ; 0 for none
 * @param credentials null for none
 */
public record ConnectSettings(
    String clientId,
    int version,
    boolean clean,
    int keepAliveSeconds,
    @Nullable Credentials credentials) {
  /** User name and password. */
  public record Credentials(String userName, String password) {}

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
  }

  /** An anonymous client. */
  public ConnectSettings(String clientId, int version, boolean clean, int keepAliveSeconds) {
    this(clientId, version, clean, keepAliveSeconds, null);
  }

  /** MQTT 3.1.1, without keep-alive. */
  public static ConnectSettings simple(String clientId, boolean clean) {
    return new ConnectSettings(clientId, MQTT_3, clean, 0);
  }

  boolean isMqtt5() {
    return version == MQTT_5;
  }
}
