package io.fjordmq.broker.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is reloaded when it changes. An invalid file is rejected with a reason, and the
 * previous contents stay in effect. The file is polled because file system notifications are not
 * reliable everywhere (network mounts, symbolic links in Kubernetes). After a failure, the file is
 * reread at every poll even if it has not changed, because the cause may have been temporary.
 *
 * @param <T> the parsed contents; immutable
 */
final class WatchedFile<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);

  /** Identifies a version of the file. */
  private record Signature(FileTime modified, long size, @Nullable Object key) {}

  /**
   * A reported problem with one version of the file; the signature is null if the file does not
   * exist.
   */
  private record ReportedFault(@Nullable Signature signature, String reason) {}

  /** Reads a file. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * @throws IOException if the file is invalid or unreadable; the message contains the reason and
     *     the line
     */
    T read(Path file) throws IOException;
  }

  private final String setting;
  private final Path file;
  private final Reader<T> reader;
  private final SecurityObserver observer;
  private volatile T current;
  private volatile T settled;
  // Identifies the contents in effect.
  private Signature loadedSignature;
  private @Nullable ReportedFault reportedFault;

  /**
   * Reads the file for the first time.
   *
   * @param setting the key in which the file is configured
   * @throws SecurityStartException if the file cannot be read or is invalid
   */
  WatchedFile(String setting, String file, Reader<T> reader, SecurityObserver observer)
      throws SecurityStartException {
    this.setting = setting;
    this.file = Path.of(file);
    this.reader = reader;
    this.observer = observer;
    try {
      loadedSignature = signature();
      current = reader.read(this.file);
      settled = current;
    } catch (NoSuchFileException e) {
      throw new SecurityStartException(
          setting + ": file not found: " + this.file.toAbsolutePath(), e);
    } catch (IOException e) {
      throw new SecurityStartException(setting + ": " + e.getMessage(), e);
    }
  }

  /** Returns the last valid contents. Can be called on any thread. */
  T current() {
    return current;
  }

  /**
   * Returns the last valid contents that did not change between two polls. Unlike {@link #current},
   * these are not the first lines of a file that is still being written. Can be called on any
   * thread.
   */
  T settled() {
    return settled;
  }

  /**
   * Checks the file for changes. Must not be called concurrently.
   *
   * @return whether {@link #settled} returns other contents than before
   */
  boolean poll() {
    @Nullable Signature now = null;
    try {
      now = signature();
      if (now.equals(loadedSignature)) {
        reportedFault = null;
        boolean changed = settled != current;
        settled = current;
        return changed;
      }
      current = reader.read(file);
      loadedSignature = now;
      reportedFault = null;
      LOG.info("Reloaded a changed file setting={} path={}", setting, file);
      observer.onFileReloaded(true);
    } catch (IOException e) {
      String reason =
          e instanceof NoSuchFileException
              ? "file not found: " + file
              : String.valueOf(e.getMessage());
      ReportedFault found = new ReportedFault(now, reason);
      if (!found.equals(reportedFault)) {
        reportedFault = found;
        LOG.warn(
            "Cannot reload a file; the previous contents stay in effect until it is fixed: {}"
                + " setting={}",
            reason,
            setting);
        observer.onFileReloaded(false);
      }
    }
    return false;
  }

  private Signature signature() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Signature(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }
}
