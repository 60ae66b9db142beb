package io.fjordmq.api.plugin;

/**
 * The reason why a client may not connect. It determines the reason code in the CONNACK (MQTT 5.0
 * §3.2.2.2).
 *
 * @since 0.1.0
 */
public enum DenyReason {
  /** Reason code 0x86; MQTT 3: return code 4. */
  BAD_USER_NAME_OR_PASSWORD,
  /** Reason code 0x87; MQTT 3: return code 5. */
  NOT_AUTHORIZED,
  /** An authentication service does not respond: reason code 0x88; MQTT 3: return code 3. */
  SERVER_UNAVAILABLE,
  /** Too many concurrent requests: reason code 0x89; MQTT 3: return code 3. */
  SERVER_BUSY,
  /** Reason code 0x8A; MQTT 3: return code 5. */
  BANNED,
  /** Reason code 0x85; MQTT 3: return code 2. */
  CLIENT_IDENTIFIER_NOT_VALID,
  /** A limit for the user is reached: reason code 0x97; MQTT 3: return code 3. */
  QUOTA_EXCEEDED,
  /** Reason code 0x9F; MQTT 3: return code 3. */
  CONNECTION_RATE_EXCEEDED,
  /** Reason code 0x9C; MQTT 3: return code 3. */
  USE_ANOTHER_SERVER
}
