package io.fjordmq.auth.files;

import io.fjordmq.api.auth.ProviderSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value computed from files, and recomputed when one of them is replaced. If the new files are
 * invalid, the previous value stays in use. Thread-safe; looks at the files at most once per
 * second, so it can be asked for each login.
 *
 * @param <T> the type of the value
 */
public final class FileBackedValue<T> {
  private static final Logger LOG = LoggerFactory.getLogger(FileBackedValue.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Identifies one version of a file. */
  private record Version(Path file, FileTime modified, long bytes) {}

  private final String path;
  private final List<Path> files;
  private final Supplier<T> reader;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile T current;
  private volatile long checkedAtNanos;
  private List<Version> versions; // guarded by the lock

  private FileBackedValue(String path, List<Path> files, Supplier<T> reader) {
    this.path = path;
    this.files = files;
    this.reader = reader;
    versions = versions(); // before the contents: a later change is then found
    current = reader.get();
    checkedAtNanos = System.nanoTime();
  }

  /**
   * Reads the files for the first time.
   *
   * @param keys keys of the settings that name files; those that are not set are ignored
   * @param reader makes the value, and throws an {@link IllegalArgumentException} if a file is
   *     invalid
   * @throws IllegalArgumentException if a file is invalid
   */
  public static <T> FileBackedValue<T> read(
      ProviderSettings settings, List<String> keys, Supplier<T> reader) {
    List<Path> files =
        keys.stream().filter(settings::isSet).map(key -> Path.of(settings.text(key))).toList();
    return new FileBackedValue<>(settings.path(), files, reader);
  }

  /** Returns the value. Reads the files if they have been replaced. */
  public T current() {
    if (files.isEmpty()
        || System.nanoTime() - checkedAtNanos < INTERVAL_NANOS
        || !reading.tryLock()) {
      return current;
    }
    try {
      List<Version> found = versions();
      if (!found.equals(versions)) {
        versions = found;
        current = reader.get();
        LOG.info("Reloaded changed files section={} files={}", path, files);
      }
    } catch (IllegalArgumentException e) {
      LOG.warn(
          "Cannot load a replaced file; the previous contents stay in effect: {}", e.getMessage());
    } finally {
      checkedAtNanos = System.nanoTime();
      reading.unlock();
    }
    return current;
  }

  /** A file that cannot be found is left out; the reader reports it. */
  private List<Version> versions() {
    List<Version> found = new ArrayList<>();
    for (Path file : files) {
      try {
        found.add(new Version(file, Files.getLastModifiedTime(file), Files.size(file)));
      } catch (IOException e) {
        LOG.debug("Cannot find a file of a provider: {}", e.toString());
      }
    }
    return found;
  }
}
