package io.fjordmq.broker.revocation;

import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.revocation.RevocationStatus.Kind;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines whether the certificate of a client, or that of one of its issuers, is revoked. The
 * certificates that a listener trusts are not checked. Thread-safe; no method except {@link #open}
 * and {@link #reload} blocks.
 */
public final class CertificateRevocation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateRevocation.class);

  private static final String CRL = "securityConfig.crl";
  private static final String OCSP = "securityConfig.ocsp";

  /**
   * The reason for refusing a client.
   *
   * @param detail the reason, for operators
   * @param decidedBy the section of the configuration
   */
  public record Refusal(Cause cause, String detail, String decidedBy) {
    /** What is wrong with the certificate of the client, or with that of an issuer. */
    public enum Cause {
      REVOKED,
      /** The responder of its issuer does not know it. */
      UNKNOWN_CERTIFICATE,
      /** It could not be determined whether it is revoked. */
      UNDETERMINED
    }
  }

  /** Returns the receiver of the events of a check, by the name of the check. */
  @FunctionalInterface
  public interface Meters {
    ProviderMeter meter(String check);
  }

  private final CrlSettings crlSettings;
  private final OcspSettings ocspSettings;
  private final InstantSource clock;
  private final @Nullable CrlFiles lists;
  private final @Nullable OcspClient ocsp;
  private final ProviderMeter crlMeter;
  private final RateLimitedLog ignoredErrors = new RateLimitedLog();

  private CertificateRevocation(
      CrlSettings crlSettings,
      OcspSettings ocspSettings,
      InstantSource clock,
      Meters meters,
      @Nullable CrlFiles lists) {
    this.crlSettings = crlSettings;
    this.ocspSettings = ocspSettings;
    this.clock = clock;
    this.lists = lists;
    this.crlMeter = lists == null ? ProviderMeter.NONE : meters.meter("x509.crl");
    this.ocsp =
        ocspSettings.enabled()
            ? new OcspClient(ocspSettings, clock, meters.meter("x509.ocsp"))
            : null;
  }

  /**
   * Reads the revocation lists.
   *
   * @param clock the wall clock
   * @throws IOException if a list cannot be used; the message names the setting and the file
   */
  public static CertificateRevocation open(
      CrlSettings crl, OcspSettings ocsp, InstantSource clock, Meters meters) throws IOException {
    return new CertificateRevocation(crl, ocsp, clock, meters, lists(crl));
  }

  /**
   * Checks that the revocation lists can be used.
   *
   * @throws IOException if a list cannot be used; the message names the setting and the file
   */
  public static void verify(CrlSettings crl) throws IOException {
    lists(crl);
  }

  private static @Nullable CrlFiles lists(CrlSettings crl) throws IOException {
    try {
      return crl.path().isEmpty() ? null : CrlFiles.open(crl.path());
    } catch (IOException e) {
      throw new IOException(CRL + ".path: " + e.getMessage(), e);
    }
  }

  /** Whether certificates are checked at all. */
  public boolean isEnabled() {
    return lists != null || ocsp != null;
  }

  /** Whether there are lists whose files can change. */
  public boolean hasLists() {
    return lists != null;
  }

  /**
   * Reloads revocation lists that have changed. Blocks on the disk; must not be called
   * concurrently.
   *
   * @return true if other lists are in use now, false if a file cannot be used, null if nothing has
   *     changed
   */
  public @Nullable Boolean reload() {
    if (lists == null) {
      return null;
    }
    Boolean loaded = lists.poll();
    lists.warnOfExpiry(clock.instant());
    return loaded;
  }

  /** Returns the revocation lists that have expired or expire soon. Can be called on any thread. */
  public List<ExpiringList> expiringLists() {
    return lists == null ? List.of() : lists.expiring(clock.instant());
  }

  /**
   * Checks a certificate and its issuers, except for the last one.
   *
   * @param issuers the issuers of the certificate, up to one that the listener trusts; empty if the
   *     listener trusts the certificate itself, null if they are not known
   * @param useCache false to ask responders in any case
   * @param abandoned whether nobody waits for the result anymore
   * @return why the client must be refused; empty if it need not be
   */
  public CompletableFuture<Optional<Refusal>> check(
      X509Certificate certificate,
      @Nullable List<X509Certificate> issuers,
      boolean useCache,
      BooleanSupplier abandoned) {
    Refusal listed = checkLists(certificate, issuers);
    OcspClient responders = ocsp;
    if (listed != null || responders == null) {
      return CompletableFuture.completedFuture(Optional.ofNullable(listed));
    }
    if (issuers == null) {
      return CompletableFuture.completedFuture(
          Optional.ofNullable(refusalOf(unknownIssuer(certificate), OCSP, ocspSettings.onError())));
    }
    return checkByOcsp(responders, certificate, issuers, 0, useCache, abandoned);
  }

  /**
   * Searches the revocation lists for a certificate and its issuers. Unlike {@link #check}, ignores
   * lists that are missing or have expired.
   *
   * @param issuers see {@link #check}
   * @return why one of the certificates is revoked; null if no list contains them
   */
  public @Nullable String findRevoked(
      X509Certificate certificate, @Nullable List<X509Certificate> issuers) {
    CrlFiles known = lists;
    if (known == null || issuers == null) {
      return null;
    }
    X509Certificate current = certificate;
    for (X509Certificate issuer : issuers) {
      RevocationStatus status = known.status(current, issuer, clock.instant());
      if (status.kind() == Kind.REVOKED) {
        return status.detail();
      }
      current = issuer;
    }
    return null;
  }

  /** Whether responders can be asked about connected clients. */
  public boolean asksResponders() {
    return ocsp != null;
  }

  /**
   * Asks the responders about the certificate of a connected client and its issuers.
   *
   * @param issuers see {@link #check}
   * @param abandoned whether nobody waits for the result anymore
   * @return whether one of the certificates is revoked; false if this cannot be determined. Never
   *     fails
   */
  public CompletableFuture<Boolean> isRevokedNow(
      X509Certificate certificate, List<X509Certificate> issuers, BooleanSupplier abandoned) {
    OcspClient responders = ocsp;
    return responders == null
        ? CompletableFuture.completedFuture(false)
        : checkByOcsp(responders, certificate, issuers, 0, true, abandoned)
            .thenApply(
                refusal -> refusal.isPresent() && refusal.get().cause() == Refusal.Cause.REVOKED);
  }

  private @Nullable Refusal checkLists(
      X509Certificate certificate, @Nullable List<X509Certificate> issuers) {
    CrlFiles known = lists;
    if (known == null) {
      return null;
    }
    if (issuers == null) {
      return refusalOf(unknownIssuer(certificate), CRL, crlSettings.onError());
    }
    X509Certificate current = certificate;
    for (X509Certificate issuer : issuers) {
      long begin = System.nanoTime();
      RevocationStatus status = known.status(current, issuer, clock.instant());
      crlMeter.onCall(outcomeOf(status), System.nanoTime() - begin);
      Refusal refusal = refusalOf(status, CRL, crlSettings.onError());
      if (refusal != null) {
        return refusal;
      }
      current = issuer;
    }
    return null;
  }

  private CompletableFuture<Optional<Refusal>> checkByOcsp(
      OcspClient responders,
      X509Certificate certificate,
      List<X509Certificate> issuers,
      int at,
      boolean useCache,
      BooleanSupplier abandoned) {
    if (at == issuers.size()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    X509Certificate issuer = issuers.get(at);
    return responders
        .status(certificate, issuer, useCache, abandoned)
        .thenCompose(
            status -> {
              Refusal refusal = refusalOf(status, OCSP, ocspSettings.onError());
              return refusal == null
                  ? checkByOcsp(responders, issuer, issuers, at + 1, useCache, abandoned)
                  : CompletableFuture.completedFuture(Optional.of(refusal));
            });
  }

  private static RevocationStatus unknownIssuer(X509Certificate certificate) {
    return RevocationStatus.undetermined(
        "the issuer of certificate "
            + certificate.getSerialNumber().toString(16)
            + " of "
            + certificate.getSubjectX500Principal().getName()
            + " is not known");
  }

  private static CallOutcome outcomeOf(RevocationStatus status) {
    return switch (status.kind()) {
      case GOOD -> CallOutcome.ALLOW;
      case REVOKED, UNKNOWN -> CallOutcome.DENY;
      case UNDETERMINED -> CallOutcome.FAILED;
    };
  }

  private @Nullable Refusal refusalOf(
      RevocationStatus status, String section, UnknownStatusPolicy onError) {
    Refusal.Cause cause =
        switch (status.kind()) {
          case GOOD -> null;
          case REVOKED -> Refusal.Cause.REVOKED;
          case UNKNOWN -> Refusal.Cause.UNKNOWN_CERTIFICATE;
          case UNDETERMINED -> Refusal.Cause.UNDETERMINED;
        };
    if (cause == null) {
      return null;
    }
    if (cause != Refusal.Cause.UNDETERMINED || onError == UnknownStatusPolicy.DENY) {
      return new Refusal(cause, status.detail(), section);
    }
    @Nullable String suppressed = ignoredErrors.permit();
    if (suppressed != null) {
      LOG.warn(
          "Accepted a certificate of unknown revocation status because {}.onError is ignore:"
              + " {}{}",
          section,
          status.detail(),
          suppressed);
    }
    return null;
  }

  /** Removes all cached responses of responders. */
  public void clearCache() {
    if (ocsp != null) {
      ocsp.clearCache();
    }
  }

  @Override
  public void close() {
    if (ocsp != null) {
      ocsp.close();
    }
  }
}
