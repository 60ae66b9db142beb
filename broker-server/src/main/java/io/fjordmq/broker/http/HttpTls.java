package io.fjordmq.broker.http;

import io.fjordmq.broker.net.CertificateFiles;
import io.fjordmq.broker.net.CertificateStatus;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of the HTTP port. New connections use changed certificate files. */
final class HttpTls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpTls.class);
  private static final String ALIAS = "http";

  /** The key store exists only in memory, but its format requires a password. */
  private static final String STORE_PASSWORD = "in-memory";

  private final CertificateFiles files;
  private final HttpObserver observer;
  private final SslContextFactory.Server context = new SslContextFactory.Server();
  private final long reloadMillis;
  private final ScheduledExecutorService watcher =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "http-tls-reload");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Reads the certificate files.
   *
   * @throws IllegalStateException if a file cannot be used; the message names the file and its key
   */
  HttpTls(HttpSettings settings, InstantSource clock, HttpObserver observer) {
    this.observer = observer;
    this.files =
        CertificateFiles.open(
            "httpConfig",
            settings.certFile(),
            settings.keyFile(),
            settings.keyPasswordFile(),
            clock);
    this.reloadMillis = settings.reloadInterval().toMillis();
    context.setSniRequired(false); // probes use the IP address of a node
    configure(context);
    observer.onCertificate(files.expiresAt());
  }

  private void configure(SslContextFactory target) {
    target.setKeyStore(keyStore());
    target.setKeyStorePassword(STORE_PASSWORD);
  }

  private KeyStore keyStore() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry(
          ALIAS,
          files.key(),
          STORE_PASSWORD.toCharArray(),
          files.chain().toArray(new X509Certificate[0]));
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(
          "httpConfig.certFile: the certificate and its key cannot be used: " + e.getMessage(), e);
    }
  }

  SslContextFactory.Server context() {
    return context;
  }

  CertificateStatus certificate() {
    return files.status();
  }

  /** Starts checking the files for changes, on its own thread because it reads from the disk. */
  void watch() {
    watcher.scheduleWithFixedDelay(this::reload, reloadMillis, reloadMillis, TimeUnit.MILLISECONDS);
  }

  private void reload() {
    try {
      if (files.reloadIfChanged()) {
        context.reload(this::configure);
        observer.onCertificate(files.expiresAt());
      }
    } catch (Exception e) { // declared by Jetty
      LOG.error(
          "Failed to check for changed certificates; retrying at the next interval"
              + " setting=httpConfig",
          e);
    }
  }

  @Override
  public void close() {
    watcher.shutdownNow();
  }
}
