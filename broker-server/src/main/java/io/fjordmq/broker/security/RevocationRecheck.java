package io.fjordmq.broker.security;

import io.fjordmq.broker.revocation.CertificateRevocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodically asks OCSP responders about the certificates of connected clients, and disconnects
 * the clients whose certificates were revoked. A thread asks about a few certificates at a time, so
 * that logins still find a place in the queue of a responder.
 */
final class RevocationRecheck implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RevocationRecheck.class);
  private static final int CERTIFICATES_AT_ONCE = 8;

  private final CertificateRevocation revocation;
  private final Supplier<Iterator<ConnectedCertificate>> clients;
  private final ScheduledExecutorService thread;
  private volatile boolean closed;

  private RevocationRecheck(
      CertificateRevocation revocation, Supplier<Iterator<ConnectedCertificate>> clients) {
    this.revocation = revocation;
    this.clients = clients;
    thread =
        Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "revocation-recheck"));
  }

  /**
   * Starts the checks.
   *
   * @param interval the pause between two checks
   * @param clients returns the clients that are connected; called on the thread of the checks
   */
  static RevocationRecheck start(
      CertificateRevocation revocation,
      Duration interval,
      Supplier<Iterator<ConnectedCertificate>> clients) {
    RevocationRecheck recheck = new RevocationRecheck(revocation, clients);
    long millis = interval.toMillis();
    recheck.thread.scheduleWithFixedDelay(recheck::checkAll, millis, millis, TimeUnit.MILLISECONDS);
    return recheck;
  }

  private void checkAll() {
    try {
      int revoked = 0;
      Iterator<ConnectedCertificate> remaining = clients.get();
      while (remaining.hasNext() && !closed) {
        revoked += checkGroup(remaining);
      }
      if (revoked > 0) {
        LOG.info(
            "Disconnected clients whose certificates OCSP reports as revoked count={}", revoked);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the node is stopping
    } catch (RuntimeException | ExecutionException e) {
      LOG.error(
          "Failed to check the certificates of connected clients; retrying at the next interval",
          e);
    }
  }

  private int checkGroup(Iterator<ConnectedCertificate> remaining)
      throws InterruptedException, ExecutionException {
    List<ConnectedCertificate> group = new ArrayList<>();
    List<CompletableFuture<Boolean>> checks = new ArrayList<>();
    while (group.size() < CERTIFICATES_AT_ONCE && remaining.hasNext()) {
      ConnectedCertificate one = remaining.next();
      group.add(one);
      checks.add(revocation.isRevokedNow(one.certificate(), one.issuers(), () -> closed));
    }
    int revoked = 0;
    for (int i = 0; i < group.size(); i++) {
      if (checks.get(i).get()) { // each has a time limit
        group.get(i).disconnect().run();
        revoked++;
      }
    }
    return revoked;
  }

  @Override
  public void close() {
    closed = true;
    thread.shutdownNow();
  }
}
