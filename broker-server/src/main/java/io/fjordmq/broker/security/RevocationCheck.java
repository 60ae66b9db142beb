package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.revocation.CertificateRevocation;
import io.fjordmq.broker.revocation.CertificateRevocation.Refusal;
import io.fjordmq.broker.revocation.ExpiringList;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Refuses clients whose certificate is revoked. Thread-safe. */
final class RevocationCheck implements AutoCloseable {
  private final CertificateRevocation revocation;
  private final Duration recheckInterval;
  private final SecurityObserver observer;
  private final ClientRefusals clientRefusals;
  private @Nullable RevocationRecheck recheck;

  private RevocationCheck(
      CertificateRevocation revocation,
      Duration recheckInterval,
      SecurityObserver observer,
      ClientRefusals clientRefusals) {
    this.revocation = revocation;
    this.recheckInterval = recheckInterval;
    this.observer = observer;
    this.clientRefusals = clientRefusals;
  }

  /** Reads the revocation lists. */
  static RevocationCheck open(
      SecuritySettings settings, SecurityObserver observer, ClientRefusals clientRefusals)
      throws SecurityStartException {
    try {
      return new RevocationCheck(
          CertificateRevocation.open(
              settings.crl(),
              settings.ocsp(),
              InstantSource.system(),
              check -> observer.provider(info(check))),
          settings.ocsp().recheckInterval(),
          observer,
          clientRefusals);
    } catch (IOException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static ProviderInfo info(String check) {
    return new ProviderInfo(Chain.AUTHENTICATION, check, check, true, Set.of(), false);
  }

  /** Checks that the revocation lists can be used. */
  static void verify(SecuritySettings settings) throws SecurityStartException {
    try {
      CertificateRevocation.verify(settings.crl());
    } catch (IOException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    }
  }

  boolean isEnabled() {
    return revocation.isEnabled();
  }

  /** Whether there are lists that can change. */
  boolean hasLists() {
    return revocation.hasLists();
  }

  /** Reloads changed lists; returns whether other lists are in use now. */
  boolean reload() {
    Boolean loaded = revocation.reload();
    if (loaded != null) {
      observer.onFileReloaded(loaded);
    }
    return Boolean.TRUE.equals(loaded);
  }

  /** The lists that have expired or expire soon. */
  List<ExpiringList> expiringLists() {
    return revocation.expiringLists();
  }

  /** Refuses a client whose certificate is revoked; empty if it is not. */
  CompletableFuture<Optional<Refused>> check(
      ConnectAttempt attempt, @Nullable List<X509Certificate> issuers, BooleanSupplier abandoned) {
    X509Certificate certificate = attempt.certificate();
    return certificate == null
        ? CompletableFuture.completedFuture(Optional.empty())
        : revocation
            .check(certificate, issuers, true, abandoned)
            .thenApply(refusal -> refusal.map(found -> refuse(attempt, found)));
  }

  /** Checks a certificate without consequences and without cached results. */
  CompletableFuture<Optional<Refusal>> test(
      X509Certificate certificate, @Nullable List<X509Certificate> issuers) {
    return revocation.check(certificate, issuers, false, () -> false);
  }

  private Refused refuse(ConnectAttempt attempt, Refusal refusal) {
    DenialCause cause =
        switch (refusal.cause()) {
          case REVOKED -> DenialCause.REVOKED;
          case UNKNOWN_CERTIFICATE -> DenialCause.UNKNOWN_CERTIFICATE;
          case UNDETERMINED -> DenialCause.REVOCATION_UNKNOWN;
        };
    return clientRefusals.refuse(
        attempt,
        refusal.cause() == Refusal.Cause.UNDETERMINED
            ? ConnectAdmission.Refusal.SERVER_UNAVAILABLE
            : ConnectAdmission.Refusal.NOT_AUTHORIZED,
        cause,
        refusal.detail(),
        refusal.decidedBy());
  }

  /**
   * Returns why the certificate must not be used according to the current lists; null if it may be.
   * A list that has expired meanwhile does not count: it would disconnect all clients at once.
   */
  @Nullable String findInLists(
      X509Certificate certificate, @Nullable List<X509Certificate> issuers) {
    return revocation.findRevoked(certificate, issuers);
  }

  /**
   * Asks responders about connected clients from now on. Called at most once, by the thread that
   * starts the node.
   */
  void recheck(Supplier<Iterator<ConnectedCertificate>> clients) {
    if (revocation.asksResponders() && !recheckInterval.isZero()) {
      recheck = RevocationRecheck.start(revocation, recheckInterval, clients);
    }
  }

  /** Removes all cached results of responders. */
  void clearCache() {
    revocation.clearCache();
  }

  @Override
  public void close() {
    if (recheck != null) {
      recheck.close();
    }
    revocation.close();
  }
}
