package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletionStage;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** Authenticates a client with a certificate as the user named by the certificate's common name. */
final class CertificateAuthenticator implements Authenticator {

  @Override
  public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
    X509Certificate certificate = attempt.certificate();
    if (certificate == null) {
      return Authentication.pass().now();
    }
    String subject = certificate.getSubjectX500Principal().getName();
    String name = commonName(subject);
    return name == null
        ? new Authentication.Deny(
                DenyReason.NOT_AUTHORIZED, "the certificate has no common name: " + subject)
            .now()
        : new Authentication.Allow(Identity.of(name)).now();
  }

  /** Returns the most specific common name of a distinguished name; null if it has none. */
  static @Nullable String commonName(String subject) {
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
}
