package io.fjordmq.api.plugin;

/** Why a client may not connect; decides what it is told (MQTT 5.0 §3.2.2.2). */
public enum DenyReason {
  /** 0x86; MQTT 3: 4. */
  BAD_USER_NAME_OR_PASSWORD,
  /** 0x87; MQTT 3: 5. */
  NOT_AUTHORIZED,
  /** 0x88, whoever should know does not answer; MQTT 3: 3. */
  SERVER_UNAVAILABLE,
  /** 0x89, too many ask at a time; MQTT 3: 3. */
  SERVER_BUSY,
  /** 0x8A; MQTT 3: 5. */
  BANNED
}
