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
 * A file that is read again when it changes. A broken one is refused with its reason, and what was
 * read before stays in force. Looked at in intervals: file systems that tell of changes do not tell
 * of all of them (network mounts, Kubernetes' links). What could not be used is read again each
 * time, whether it has changed or not: the reason may have been a passing one.
 *
 * @param <T> what the file says; immutable
 */
final class WatchedFile<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);

  /** What tells one state of the file from another. */
  private record Signature(FileTime modified, long size, @Nullable Object key) {}

  /** What was said to be wrong with a state of the file; null if it cannot be found. */
  private record ReportedFault(@Nullable Signature of, String why) {}

  /** Reads a file. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * @throws IOException if it cannot; the message says why, with the line
     */
    T read(Path file) throws IOException;
  }

  private final String setting;
  private final Path file;
  private final Reader<T> reader;
  private final SecurityObserver observer;
  private volatile T current;
  // Of what is in force.
  private Signature seen;
  private @Nullable ReportedFault reportedFault;

  /**
   * Reads it for the first time.
   *
   * @param setting that names the file
   * @throws SecurityException if it cannot be read or is broken
   */
  WatchedFile(String setting, String file, Reader<T> reader, SecurityObserver observer)
      throws SecurityStartException {
    this.setting = setting;
    this.file = Path.of(file);
    this.reader = reader;
    this.observer = observer;
    try {
      seen = signature();
      current = reader.read(this.file);
    } catch (NoSuchFileException e) {
      throw new SecurityStartException(
          setting + ": there is no file " + this.file.toAbsolutePath(), e);
    } catch (IOException e) {
      throw new SecurityStartException(setting + ": " + e.getMessage(), e);
    }
  }

  /** What the last good state of the file says. Any thread. */
  T current() {
    return current;
  }

  /** Looks whether the file has changed. One thread at a time. */
  void poll() {
    @Nullable Signature now = null;
    try {
      now = signature();
      if (now.equals(seen)) {
        reportedFault = null;
        return;
      }
      current = reader.read(file);
      seen = now;
      reportedFault = null;
      LOG.info("Reloaded a changed file setting={} path={}", setting, file);
      observer.fileRead(true);
    } catch (IOException e) {
      String why =
          e instanceof NoSuchFileException
              ? "there is no file " + file
              : String.valueOf(e.getMessage());
      ReportedFault found = new ReportedFault(now, why);
      if (!found.equals(reportedFault)) {
        reportedFault = found;
        LOG.warn(
            "Cannot reload a file; the previous contents stay in effect: {} setting={}",
            why,
            setting);
        observer.fileRead(false);
      }
    }
  }

  private Signature signature() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Signature(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }
}
