package io.fjordmq.broker.session;

import java.util.List;
import java.util.Locale;

/**
 * Why a connection ended or was refused: the label of a metric and, where the protocol has one, the
 * code the client is told (MQTT 5.0 §2.4, MQTT 3.1.1 §3.2.2.3).
 */
public enum CloseReason {
  /** The client sent DISCONNECT. */
  CLIENT_DISCONNECT(-1, -1),
  /** The client sent DISCONNECT 0x04: its will is published. */
  CLIENT_DISCONNECT_WITH_WILL(-1, -1),
  /** The connection ended without a DISCONNECT. */
  CONNECTION_LOST(-1, -1),
  /** No complete CONNECT came in time. */
  CONNECT_TIMEOUT(-1, -1),
  /** The first packet was not CONNECT; nobody to answer to (MQTT 5.0 §3.1). */
  FIRST_PACKET_NOT_CONNECT(-1, -1),
  /** The listener is full. */
  TOO_MANY_CONNECTIONS(-1, -1),
  /** The process is almost out of file descriptors. */
  NO_FILE_DESCRIPTORS(-1, -1),
  /** The operating system could not hand the connection over; it may still come. */
  ACCEPT_FAILED(-1, -1),
  /** A connection to a listener for proxies came from somewhere else. */
  PROXY_NOT_TRUSTED(-1, -1),
  /** A proxy did not begin with a valid PROXY header. */
  PROXY_HEADER_INVALID(-1, -1),
  /** No TLS handshake came about. */
  TLS_FAILED(-1, -1),
  /** The HTTP request did not ask for MQTT over WebSocket. */
  WEBSOCKET_REFUSED(-1, -1),
  /** A WebSocket frame that may not be there (MQTT-6.0.0-1); WebSocket has an answer of its own. */
  WEBSOCKET_ERROR(-1, -1),
  UNSPECIFIED_ERROR(0x80, 0x03),
  MALFORMED_PACKET(0x81, -1),
  PROTOCOL_ERROR(0x82, -1),
  /** A defect of the broker; its log says more. */
  INTERNAL_ERROR(0x83, 0x03),
  UNSUPPORTED_PROTOCOL_VERSION(0x84, 0x01),
  CLIENT_IDENTIFIER_NOT_VALID(0x85, 0x02),
  BAD_USER_NAME_OR_PASSWORD(0x86, 0x04),
  NOT_AUTHORIZED(0x87, 0x05),
  /** A store the session needs does not answer. */
  SERVER_UNAVAILABLE(0x88, 0x03),
  /** A publish could not be made durable: it must not be acknowledged. */
  NOT_DURABLE(0x89, -1),
  /** The node has too much to do; docs/LIMITS.md says when. */
  SERVER_BUSY(0x89, 0x03),
  BANNED(0x8A, 0x05),
  SERVER_SHUTTING_DOWN(0x8B, 0x03),
  /** The node had lost its lease, and the cluster has given its clients up. */
  NODE_DOWN(0x8B, 0x03),
  BAD_AUTHENTICATION_METHOD(0x8C, -1),
  KEEP_ALIVE_TIMEOUT(0x8D, -1),
  SESSION_TAKEN_OVER(0x8E, -1),
  TOPIC_FILTER_INVALID(0x8F, -1),
  TOPIC_NAME_INVALID(0x90, -1),
  RECEIVE_MAXIMUM_EXCEEDED(0x93, -1),
  TOPIC_ALIAS_INVALID(0x94, -1),
  PACKET_TOO_LARGE(0x95, -1),
  /** It did not read while memory was short, or none of its answers for very long. */
  CLIENT_TOO_SLOW(0x97, -1),
  QUOTA_EXCEEDED(0x97, 0x03),
  /** The node gives its clients to others before it stops; MQTT 5 is told where to. */
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

  /** Reason code of MQTT 5; -1 if the client is told nothing. */
  public int reasonCode() {
    return reasonCode;
  }

  /** Return code of a CONNACK of MQTT 3.1 and 3.1.1; -1 if the connection is just closed. */
  public int returnCode() {
    return returnCode;
  }

  /** Why a connection ends whose client cannot be told the reason code of a SUBACK. */
  static CloseReason ofSubAck(int reasonCode) {
    for (CloseReason reason : List.of(NOT_AUTHORIZED, TOPIC_FILTER_INVALID, QUOTA_EXCEEDED)) {
      if (reason.reasonCode == reasonCode) {
        return reason;
      }
    }
    return SERVER_UNAVAILABLE;
  }

  /** Value of the metric's label. */
  public String label() {
    return label;
  }

  /** True if the will is dropped because the client said goodbye (MQTT 5.0 §3.14.4). */
  boolean forgetsWill() {
    return this == CLIENT_DISCONNECT;
  }

  /** True if the connection has nothing to say any more because it is gone or leaving by itself. */
  boolean isClientsDoing() {
    return this == CLIENT_DISCONNECT
        || this == CLIENT_DISCONNECT_WITH_WILL
        || this == CONNECTION_LOST;
  }
}
