package io.fjordmq.broker.net;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The certificates of all TLS listeners, and the thread that reloads changed files. */
final class ListenerCertificates implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerCertificates.class);

  private final TlsLibrary library;
  private final InstantSource clock;
  private final ListenerObserver observer;
  private final List<ServerTls> tlsContexts = new CopyOnWriteArrayList<>();
  private @Nullable ScheduledExecutorService watcher;

  ListenerCertificates(TlsLibrary library, InstantSource clock, ListenerObserver observer) {
    this.library = library;
    this.clock = clock;
    this.observer = observer;
  }

  /**
   * Reads the TLS files of a listener.
   *
   * @throws IllegalStateException if a file cannot be used; the message names the file and its
   *     configuration key
   */
  ServerTls open(String listener, TlsSettings settings) {
    ServerTls tls = ServerTls.open(listener, settings, library, clock);
    tlsContexts.add(tls);
    observer.onCertificate(listener, tls.expiresAt());
    return tls;
  }

  /** The certificates of all TLS listeners. */
  List<CertificateStatus> statuses() {
    return tlsContexts.stream().map(ServerTls::status).toList();
  }

  /** Starts checking the files for changes. */
  void startWatching() {
    if (tlsContexts.isEmpty()) {
      return;
    }
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("tls-reload", true));
    watcher = thread;
    for (ServerTls tls : tlsContexts) {
      long millis = tls.reloadInterval().toMillis();
      thread.scheduleWithFixedDelay(() -> reload(tls), millis, millis, TimeUnit.MILLISECONDS);
    }
  }

  private void reload(ServerTls tls) {
    try {
      Boolean loaded = tls.reloadIfChanged();
      if (loaded != null) {
        observer.onReload(loaded);
        observer.onCertificate(tls.listener(), tls.expiresAt());
      }
    } catch (RuntimeException e) {
      LOG.error(
          "Failed to check for changed certificates; retrying at the next interval listener={}",
          tls.listener(),
          e);
    }
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.shutdownNow();
    }
    tlsContexts.forEach(ServerTls::close);
    tlsContexts.clear();
  }
}
