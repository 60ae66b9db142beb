package io.fjordmq.broker.protocol;

import java.util.List;
import java.util.Locale;

/**
 * The reason why a connection ended or was refused. It determines the metric label and, where the
 * protocol has one, the code sent to the client (MQTT 5.0 §2.4, MQTT 3.1.1 §3.2.2.3).
 */
public enum CloseReason {
  /** The client sent DISCONNECT. */
  CLIENT_DISCONNECT(-1, -1),
  /** The client sent DISCONNECT 0x04, so its will is published. */
  CLIENT_DISCONNECT_WITH_WILL(-1, -1),
  /** The connection ended without a DISCONNECT. */
  CONNECTION_LOST(-1, -1),
  /** No complete CONNECT arrived in time. */
  CONNECT_TIMEOUT(-1, -1),
  /**
   * The first packet was not a CONNECT. The connection is closed without a response (MQTT 5.0
   * §3.1).
   */
  FIRST_PACKET_NOT_CONNECT(-1, -1),
  /** The listener has reached its connection limit. */
  TOO_MANY_CONNECTIONS(-1, -1),
  /** The process is almost out of file descriptors. */
  NO_FILE_DESCRIPTORS(-1, -1),
  /** The system call accept() failed; the connection may still be accepted later. */
  ACCEPT_FAILED(-1, -1),
  /** A connection to a PROXY protocol listener came from an address that is not a trusted proxy. */
  PROXY_NOT_TRUSTED(-1, -1),
  /** A proxy did not send a valid PROXY header first. */
  PROXY_HEADER_INVALID(-1, -1),
  /** The TLS handshake failed. */
  TLS_FAILED(-1, -1),
  /** The HTTP request was not an upgrade to MQTT over WebSocket. */
  WEBSOCKET_REFUSED(-1, -1),
  /**
   * The client sent a WebSocket frame that is not allowed (MQTT-6.0.0-1). It is reported with a
   * WebSocket close code.
   */
  WEBSOCKET_ERROR(-1, -1),
  UNSPECIFIED_ERROR(0x80, 0x03),
  MALFORMED_PACKET(0x81, -1),
  PROTOCOL_ERROR(0x82, -1),
  /** The broker has a bug; see its log. */
  INTERNAL_ERROR(0x83, 0x03),
  UNSUPPORTED_PROTOCOL_VERSION(0x84, 0x01),
  CLIENT_IDENTIFIER_NOT_VALID(0x85, 0x02),
  BAD_USER_NAME_OR_PASSWORD(0x86, 0x04),
  NOT_AUTHORIZED(0x87, 0x05),
  /** A store that the session needs is unavailable. */
  SERVER_UNAVAILABLE(0x88, 0x03),
  /** A publish could not be made durable, so it must not be acknowledged. */
  NOT_DURABLE(0x89, -1),
  /** The node is overloaded; see docs/LIMITS.md. */
  SERVER_BUSY(0x89, 0x03),
  /** The client is banned. A DISCONNECT contains 0x98, because 0x8A is only for CONNACK. */
  BANNED(0x8A, 0x05),
  SERVER_SHUTTING_DOWN(0x8B, 0x03),
  /** The node lost its lease; its clients must reconnect to this or another node. */
  NODE_DOWN(0x8B, 0x03),
  BAD_AUTHENTICATION_METHOD(0x8C, -1),
  KEEP_ALIVE_TIMEOUT(0x8D, -1),
  SESSION_TAKEN_OVER(0x8E, -1),
  TOPIC_FILTER_INVALID(0x8F, -1),
  TOPIC_NAME_INVALID(0x90, -1),
  RECEIVE_MAXIMUM_EXCEEDED(0x93, -1),
  TOPIC_ALIAS_INVALID(0x94, -1),
  PACKET_TOO_LARGE(0x95, -1),
  /** The client did not read while memory was short, or left its responses unread for too long. */
  CLIENT_TOO_SLOW(0x97, -1),
  QUOTA_EXCEEDED(0x97, 0x03),
  /** An operator has disconnected the client, or removed or changed its user in the database. */
  ADMINISTRATIVE_ACTION(0x98, -1),
  /** The node is draining. MQTT 5 clients receive a Server Reference if there is one. */
  USE_ANOTHER_SERVER(0x9C, 0x03),
  CONNECTION_RATE_EXCEEDED(0x9F, 0x03);

  private final int reasonCode;
  private final int returnCode;
  private final String label;

  CloseReason(int reasonCode, int returnCode) {
    this.reasonCode = reasonCode;
    this.returnCode = returnCode;
    this.label = name().toLowerCase(Locale.ROOT);
  }

  /** The MQTT 5 reason code; -1 if nothing is sent to the client. */
  public int reasonCode() {
    return reasonCode;
  }

  /**
   * The CONNACK return code for MQTT 3.1 and 3.1.1; -1 if the connection is closed without a
   * CONNACK.
   */
  public int returnCode() {
    return returnCode;
  }

  /**
   * Returns the reason for closing a connection whose protocol version cannot report this SUBACK
   * reason code.
   */
  public static CloseReason ofSubAck(int reasonCode) {
    for (CloseReason reason : List.of(NOT_AUTHORIZED, TOPIC_FILTER_INVALID, QUOTA_EXCEEDED)) {
      if (reason.reasonCode == reasonCode) {
        return reason;
      }
    }
    return SERVER_UNAVAILABLE;
  }

  /** The value of the metric label. */
  public String label() {
    return label;
  }

  /** Whether the will is discarded because the client disconnected normally (MQTT 5.0 §3.14.4). */
  public boolean discardsWill() {
    return this == CLIENT_DISCONNECT;
  }

  /** Whether the client closed or lost the connection, so that nothing is sent to it. */
  public boolean isClientInitiated() {
    return this == CLIENT_DISCONNECT
        || this == CLIENT_DISCONNECT_WITH_WILL
        || this == CONNECTION_LOST;
  }
}
