package io.fjordmq.api.auth;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * What the broker knows about a client: the values of {@link Placeholder placeholders}. Immutable.
 *
 * @param clientId as sent, or as assigned by the broker
 * @param userName the name in the CONNECT before authentication, the authenticated one after it;
 *     null if there is none
 * @param password null if absent, and always after authentication; must not be modified
 * @param address null if the client connected over a Unix domain socket
 * @param certificate the verified certificate of the client; null if there is none
 * @param listener the name of the listener, e.g. {@code tcpListener}
 * @param tenant empty before authentication
 * @param attributes the attributes that the authentication established
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record ClientContext(
    String clientId,
    @Nullable String userName,
    byte @Nullable [] password,
    @Nullable InetAddress address,
    @Nullable X509Certificate certificate,
    String listener,
    String tenant,
    Map<String, String> attributes)
    implements PlaceholderValues {
  private static final int DNS_NAME = 2;

  public ClientContext {
    attributes = Map.copyOf(attributes);
  }

  /** Returns the context after authentication, when the password is no longer known. */
  public static ClientContext withoutPassword(
      String clientId,
      @Nullable String userName,
      @Nullable InetAddress address,
      @Nullable X509Certificate certificate,
      String listener,
      String tenant,
      Map<String, String> attributes) {
    return new ClientContext(
        clientId, userName, null, address, certificate, listener, tenant, attributes);
  }

  /** Returns the context before authentication. */
  public static ClientContext of(ConnectAttempt attempt) {
    return new ClientContext(
        attempt.clientId(),
        attempt.userName(),
        attempt.password(),
        attempt.address(),
        attempt.certificate(),
        attempt.listener(),
        "",
        Map.of());
  }

  /** Returns the context after authentication. */
  public static ClientContext of(ConnectAttempt attempt, Identity identity) {
    String clientId = identity.clientId();
    return new ClientContext(
        clientId == null ? attempt.clientId() : clientId,
        identity.userName(),
        null,
        attempt.address(),
        attempt.certificate(),
        attempt.listener(),
        identity.tenant(),
        identity.attributes());
  }

  /** Returns the value of a placeholder; null if the client has none. */
  @Override
  public @Nullable String apply(Placeholder placeholder) {
    return switch (placeholder.kind()) {
      case CLIENTID -> clientId;
      case USERNAME -> userName;
      case PASSWORD -> password == null ? null : new String(password, StandardCharsets.UTF_8);
      case PEERHOST -> address == null ? null : address.getHostAddress();
      case CERT_COMMON_NAME -> certificate == null ? null : commonName(certificate);
      case CERT_SUBJECT -> certificate == null ? null : subject(certificate);
      case CERT_SAN_DNS -> certificate == null ? null : alternativeName(certificate, DNS_NAME);
      case LISTENER -> listener;
      case TENANT -> tenant;
      case PROTOCOL -> "mqtt";
      case ATTRIBUTE -> attributes.get(placeholder.attribute());
      case ACTION, TOPIC, QOS, RETAIN -> null;
    };
  }

  /** The distinguished name in the format of RFC 2253. */
  private static String subject(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  /** Returns the most specific common name of a certificate; null if it has none. */
  public static @Nullable String commonName(X509Certificate certificate) {
    return commonName(subject(certificate));
  }

  /** Returns the most specific common name of a distinguished name; null if it has none. */
  public static @Nullable String commonName(String subject) {
    try {
      String name = null;
      // The RDNs are ordered from the least to the most specific.
      for (Rdn rdn : new LdapName(subject).getRdns()) {
        if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String text) {
          name = text;
        }
      }
      return name == null || name.isBlank() ? null : name;
    } catch (InvalidNameException e) {
      return null;
    }
  }

  /**
   * Returns the first subject alternative name of a kind; null if the certificate has none.
   *
   * @param kind the number of the kind in RFC 5280: 1 e-mail address, 2 DNS name, 6 URI
   */
  public static @Nullable String alternativeName(X509Certificate certificate, int kind) {
    try {
      var names = certificate.getSubjectAlternativeNames();
      if (names != null) {
        for (List<?> name : names) {
          if (name.get(0).equals(kind) && name.get(1) instanceof String text && !text.isBlank()) {
            return text;
          }
        }
      }
      return null;
    } catch (CertificateParsingException e) {
      return null;
    }
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return "client " + clientId + " (user " + userName + ") at " + address + " on " + listener;
  }
}
