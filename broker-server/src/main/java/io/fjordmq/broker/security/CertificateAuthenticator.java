package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Authenticates a client with a certificate as the user that the certificate names. */
final class CertificateAuthenticator implements Authenticator {
  /** The part of the certificate that is the user name. */
  enum Source {
    COMMON_NAME("commonName", "common name"),
    SUBJECT("subject", "subject"),
    DNS_NAME("dnsName", "subject alternative name of type DNS"),
    EMAIL("email", "subject alternative name of type e-mail"),
    URI("uri", "subject alternative name of type URI"),
    SERIAL_NUMBER("serialNumber", "serial number");

    private final String key;
    private final String text;

    Source(String key, String text) {
      this.key = key;
      this.text = text;
    }

    /** The word in the configuration. */
    String key() {
      return key;
    }

    private @Nullable String of(X509Certificate certificate) {
      return switch (this) {
        case COMMON_NAME -> ClientContext.commonName(certificate);
        case SUBJECT -> {
          String name = certificate.getSubjectX500Principal().getName();
          yield name.isEmpty() ? null : name;
        }
        case EMAIL -> ClientContext.alternativeName(certificate, 1);
        case DNS_NAME -> ClientContext.alternativeName(certificate, 2);
        case URI -> ClientContext.alternativeName(certificate, 6);
        case SERIAL_NUMBER -> certificate.getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
      };
    }
  }

  private final Source source;

  /** Uses the common name. */
  CertificateAuthenticator() {
    this(Source.COMMON_NAME);
  }

  CertificateAuthenticator(Source source) {
    this.source = source;
  }

  @Override
  public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
    X509Certificate certificate = attempt.certificate();
    if (certificate == null) {
      return Authentication.pass().now();
    }
    String name = source.of(certificate);
    return name == null
        ? new Authentication.Deny(
                DenyReason.NOT_AUTHORIZED,
                "the certificate has no "
                    + source.text
                    + ": "
                    + certificate.getSubjectX500Principal().getName())
            .now()
        : new Authentication.Allow(Identity.of(name)).now();
  }
}
