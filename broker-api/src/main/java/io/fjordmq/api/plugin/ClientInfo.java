package io.fjordmq.api.plugin;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client with an established identity.
 *
 * @param tenant the tenant that the client belongs to
 * @param clientId unique within the tenant
 * @param userName null if anonymous
 * @param attributes as set by the authenticator
 * @param listener name of the listener, e.g. {@code tcpListener}
 * @param address IP address of the client; null if it connected over a Unix domain socket
 * @param encrypted true if the connection uses TLS
 * @param certificateSubject distinguished name (RFC 2253) of its client certificate; null if it has
 *     none
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @since 0.1.0
 */
public record ClientInfo(
    String tenant,
    String clientId,
    @Nullable String userName,
    Map<String, String> attributes,
    String listener,
    @Nullable InetAddress address,
    boolean encrypted,
    @Nullable String certificateSubject,
    int protocolLevel) {

  public ClientInfo {
    attributes = Map.copyOf(attributes);
  }

  /** Combines a connect attempt with the identity that an authenticator established. */
  public static ClientInfo of(ConnectAttempt attempt, Identity identity) {
    X509Certificate certificate = attempt.certificate();
    String clientId = identity.clientId();
    return new ClientInfo(
        identity.tenant(),
        clientId == null ? attempt.clientId() : clientId,
        identity.userName(),
        identity.attributes(),
        attempt.listener(),
        attempt.address(),
        attempt.encrypted(),
        certificate == null ? null : certificate.getSubjectX500Principal().getName(),
        attempt.protocolLevel());
  }

  @Override
  public String toString() {
    return "client " + clientId + " (user " + userName + ") of tenant '" + tenant + "'";
  }
}
