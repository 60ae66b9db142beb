package io.fjordmq.broker.net;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS files in use, and their replacement when they change. Files that cannot be used are
 * logged once, and the previous contents stay in use. {@link #files} may be called on any thread;
 * {@link #reloadIfChanged} must not be called concurrently.
 */
final class TlsFilesReload {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFilesReload.class);

  /** A warning is logged if the certificate expires within this period. */
  private static final Duration EXPIRY_WARNING_PERIOD = Duration.ofDays(21);

  private final TlsFiles.Source source;
  private final InstantSource clock;
  private volatile TlsFiles files;
  private @Nullable Map<String, byte[]> rejectedContent;
  private volatile @Nullable String reportedFailure;

  /** Starts to use changed files. */
  @FunctionalInterface
  interface Loader {
    /**
     * Uses the files for new connections.
     *
     * @throws TlsFiles.UnusableException if that is not possible
     */
    void load(TlsFiles changed) throws TlsFiles.UnusableException;
  }

  private TlsFilesReload(TlsFiles.Source source, InstantSource clock, TlsFiles files) {
    this.source = source;
    this.clock = clock;
    this.files = files;
  }

  /** Reads and validates the files. */
  static TlsFilesReload open(TlsFiles.Source source, InstantSource clock)
      throws TlsFiles.UnusableException {
    TlsFilesReload reload =
        new TlsFilesReload(source, clock, source.parse(source.readContent(), clock.instant()));
    reload.warnIfExpiresSoon();
    return reload;
  }

  /** The files in use. */
  TlsFiles files() {
    return files;
  }

  TlsFiles.Source source() {
    return source;
  }

  CertificateStatus status() {
    return new CertificateStatus(
        source.listener(), source.settings().certFile(), files.expiresAt(), reportedFailure);
  }

  /**
   * Loads files that have changed. Blocks on the disk.
   *
   * @return true if changed files were loaded, false if they cannot be used, null if nothing has
   *     changed
   */
  @Nullable Boolean reloadIfChanged(Loader loader) {
    @Nullable Map<String, byte[]> content = null;
    try {
      content = source.readContent();
      if (files.hasSameContent(content)) {
        rejectedContent = null;
        reportedFailure = null;
        return null;
      }
      if (rejectedContent != null && TlsFiles.contentEquals(rejectedContent, content)) {
        return null;
      }
      TlsFiles changed = source.parse(content, clock.instant());
      loader.load(changed);
      files = changed;
      rejectedContent = null;
      reportedFailure = null;
      LOG.info(
          "Loaded a new certificate listener={} expires={}",
          source.listener(),
          changed.expiresAt());
      warnIfExpiresSoon();
      return true;
    } catch (TlsFiles.UnusableException e) {
      rejectedContent = e.isTransient() ? null : content;
      String fault = String.valueOf(e.getMessage());
      if (rejectedContent == null && fault.equals(reportedFailure)) {
        return null;
      }
      reportedFailure = fault;
      LOG.warn(
          "Cannot reload a certificate; the previous certificate and key stay in use until the"
              + " files are fixed: {}",
          fault);
      return false;
    }
  }

  private void warnIfExpiresSoon() {
    if (files.expiresAt().isBefore(clock.instant().plus(EXPIRY_WARNING_PERIOD))) {
      LOG.warn(
          "Certificate expires soon; replace it listener={} path={} expires={}",
          source.listener(),
          source.settings().certFile(),
          files.expiresAt());
    }
  }
}
