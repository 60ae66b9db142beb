package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.UserProperty;
import io.fjordmq.api.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A validated CONNECT, independent of the protocol version.
 *
 * @param protocolLevel the protocol level: 3 (MQTT 3.1), 4 (MQTT 3.1.1) or 5 (MQTT 5)
 * @param clientId the client identifier, as sent by the client or assigned by the broker
 * @param assignedClientId whether the broker assigned the client identifier
 * @param cleanStart Clean Start, or Clean Session in MQTT 3
 * @param expirySeconds the granted session expiry interval; 0 = the session ends with the
 *     connection
 * @param requestedExpirySeconds the requested session expiry interval; larger than the granted one
 *     if a limit applied
 * @param keepAliveSeconds the granted keep alive; 0 = none
 * @param requestedKeepAliveSeconds the requested keep alive; differs from the granted one if a
 *     limit applied
 * @param receiveMaximum the number of unacknowledged QoS 1 and 2 messages that the client accepts
 * @param maxPacketBytes the maximum packet size that the client accepts
 * @param topicAliasMaximum the number of topic aliases that the client accepts
 * @param problemInformation whether the client accepts Reason Strings
 * @param userName the user name; null if absent
 * @param password the password; null if absent
 * @param authenticationMethod the method of an exchange of AUTH packets; null for none
 * @param authenticationData the authentication data of the CONNECT or, once the client is
 *     authenticated, for the CONNACK; null for none
 * @param will the will, whose message has no timestamps yet; null if absent
 * @param userProperties the user properties; empty once the client is authenticated
 */
@SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
public record ConnectRequest(
    int protocolLevel,
    String clientId,
    boolean assignedClientId,
    boolean cleanStart,
    long expirySeconds,
    long requestedExpirySeconds,
    int keepAliveSeconds,
    int requestedKeepAliveSeconds,
    int receiveMaximum,
    int maxPacketBytes,
    int topicAliasMaximum,
    boolean problemInformation,
    @Nullable String userName,
    byte @Nullable [] password,
    @Nullable String authenticationMethod,
    byte @Nullable [] authenticationData,
    @Nullable Will will,
    List<UserProperty> userProperties) {

  /** Whether the CONNACK must contain a Server Keep Alive. */
  boolean needsServerKeepAlive() {
    return keepAliveSeconds != requestedKeepAliveSeconds;
  }

  /** Returns a copy with the given session expiry and keep alive. */
  ConnectRequest withGranted(long requestedExpiry, long expiry, int keepAlive) {
    return new ConnectRequest(
        protocolLevel,
        clientId,
        assignedClientId,
        cleanStart,
        expiry,
        requestedExpiry,
        keepAlive,
        requestedKeepAliveSeconds,
        receiveMaximum,
        maxPacketBytes,
        topicAliasMaximum,
        problemInformation,
        userName,
        password,
        authenticationMethod,
        authenticationData,
        will,
        userProperties);
  }

  /**
   * Returns a copy without the password and the user properties, and with the authentication data
   * for the CONNACK.
   */
  public @SuppressWarnings("NullAway") // does not know that an array component may be null
  ConnectRequest withAuthenticationResult(byte[] dataForConnAck) {
    return new ConnectRequest(
        protocolLevel,
        clientId,
        assignedClientId,
        cleanStart,
        expirySeconds,
        requestedExpirySeconds,
        keepAliveSeconds,
        requestedKeepAliveSeconds,
        receiveMaximum,
        maxPacketBytes,
        topicAliasMaximum,
        problemInformation,
        userName,
        null,
        authenticationMethod,
        dataForConnAck,
        will,
        List.of());
  }

  /** Returns a copy with the client identifier that the authentication has determined. */
  public @SuppressWarnings("NullAway") // does not know that an array component may be null
  ConnectRequest withClientId(String other) {
    return new ConnectRequest(
        protocolLevel,
        other,
        assignedClientId,
        cleanStart,
        expirySeconds,
        requestedExpirySeconds,
        keepAliveSeconds,
        requestedKeepAliveSeconds,
        receiveMaximum,
        maxPacketBytes,
        topicAliasMaximum,
        problemInformation,
        userName,
        password,
        authenticationMethod,
        authenticationData,
        will == null ? null : willOf(will, other),
        userProperties);
  }

  private static Will willOf(Will will, String publisher) {
    Message message = will.message();
    return new Will(
        new Message(
            message.topic(),
            message.payload(),
            message.qos(),
            message.retain(),
            message.properties(),
            publisher,
            message.acceptedAtMillis(),
            message.expiresAtMillis()),
        will.delaySeconds(),
        will.messageExpirySeconds());
  }

  /** Whether the client uses MQTT 5. */
  public boolean isMqtt5() {
    return protocolLevel >= 5;
  }
}
