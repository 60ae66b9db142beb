package io.fjordmq.broker.session;

import io.fjordmq.api.Will;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT, checked, with the differences between protocol versions levelled out.
 *
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param clientId as sent or assigned
 * @param assignedClientId the broker made the client identifier
 * @param cleanStart Clean Start, or Clean Session of MQTT 3
 * @param expirySeconds granted to the session; 0 = it ends with the connection
 * @param requestedExpirySeconds asked for; differs from the former if a limit cut it
 * @param keepAliveSeconds granted; 0 = none
 * @param requestedKeepAliveSeconds asked for; differs from the former if a limit changed it
 * @param receiveMaximum QoS 1 and 2 messages the client takes at a time
 * @param maxPacketBytes the client takes
 * @param topicAliasMaximum the client takes
 * @param problemInformation the client wants Reason Strings
 * @param userName null if absent
 * @param password null if absent
 * @param authenticationMethod of an exchange of AUTH packets; null for none
 * @param authenticationData for its first step; once the client is authenticated, for the CONNACK;
 *     null for none
 * @param will null if absent; its message is not stamped with times yet
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

  /** True if the keep alive is not what the client asked for. */
  boolean serverKeepAlive() {
    return keepAliveSeconds != requestedKeepAliveSeconds;
  }

  /** The same with other times granted. */
  ConnectRequest granted(long requestedExpiry, long expiry, int keepAlive) {
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

  /** The same without the secrets, which nobody needs from here on. */
  @SuppressWarnings("NullAway") // does not see that an array of a record may be null
  ConnectRequest authenticated(byte[] dataForConnAck) {
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
