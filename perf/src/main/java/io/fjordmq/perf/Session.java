package io.fjordmq.perf;

import org.jspecify.annotations.Nullable;

/**
 * How a client introduces itself.
 *
 * @param clientId its name
 * @param version of MQTT: 4 (that is 3.1.1) or 5
 * @param clean its session ends with its connection
 * @param keepAliveSeconds 0 for none; else it sends PINGREQ that often
 * @param credentials null for none
 */
public record Session(
    String clientId,
    int version,
    boolean clean,
    int keepAliveSeconds,
    @Nullable Credentials credentials) {
  /** Who it says it is. */
  public record Credentials(String userName, String password) {}

  /** MQTT 3.1.1. */
  public static final int MQTT_3 = 4;

  /** MQTT 5. */
  public static final int MQTT_5 = 5;

  public Session {
    if (version != MQTT_3 && version != MQTT_5) {
      throw new IllegalArgumentException("MQTT version is 4 (3.1.1) or 5, not " + version);
    }
    if (keepAliveSeconds < 0 || keepAliveSeconds > 65_535) {
      throw new IllegalArgumentException("keep alive is 0 to 65535 s, not " + keepAliveSeconds);
    }
  }

  /** Of nobody in particular. */
  public Session(String clientId, int version, boolean clean, int keepAliveSeconds) {
    this(clientId, version, clean, keepAliveSeconds, null);
  }

  /** MQTT 3.1.1, without keep alive. */
  public static Session simple(String clientId, boolean clean) {
    return new Session(clientId, MQTT_3, clean, 0);
  }

  boolean isMqtt5() {
    return version == MQTT_5;
  }
}
