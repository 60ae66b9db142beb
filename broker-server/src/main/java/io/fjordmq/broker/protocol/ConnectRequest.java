package io.fjordmq.broker.protocol;

import io.fjordmq.api.Will;
import org.jspecify.annotations.Nullable;

/**
 * A validated CONNECT, independent of the protocol version.
 *
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param clientId client identifier, as sent by the client or assigned by the broker
 * @param assignedClientId true if the broker assigned the client identifier
 * @param cleanStart Clean Start, or Clean Session of MQTT 3
 * @param expirySeconds granted session expiry; 0 = the session ends with the connection
 * @param requestedExpirySeconds requested session expiry; larger than the granted one if a limit
 *     applied
 * @param keepAliveSeconds granted; 0 = none
 * @param requestedKeepAliveSeconds requested keep alive; differs from the granted one if a limit
 *     applied
 * @param receiveMaximum unacknowledged QoS 1 and 2 messages that the client accepts
 * @param maxPacketBytes largest packet that the client accepts
 * @param topicAliasMaximum topic aliases that the client accepts
 * @param problemInformation true if the client accepts Reason Strings
 * @param userName null if absent
 * @param password null if absent
 * @param authenticationMethod of an exchange of AUTH packets; null for none
 * @param authenticationData of the CONNECT; once the client is authenticated, the data for the
 *     CONNACK; null for none
 * @param will null if absent; its message has no timestamps yet
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
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
    @Nullable Will will) {

  /** True if the CONNACK has to carry a Server Keep Alive. */
  boolean needsServerKeepAlive() {
    return keepAliveSeconds != requestedKeepAliveSeconds;
  }

  /** A copy with these expiry and keep-alive times. */
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
        will);
  }

  /** A copy without the password, and with the authentication data for the CONNACK. */
  public @SuppressWarnings("NullAway") // does not see that an array of a record may be null
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
        will);
  }

  /** True if the client speaks MQTT 5. */
  public boolean isMqtt5() {
    return protocolLevel >= 5;
  }
}
