package io.fjordmq.broker.backup;

import io.fjordmq.broker.extensions.ExtensionJars;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLClassLoader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a backup is.
 *
 * @param target path of a directory, or a URL that begins with {@code s3://}
 * @param endpoint URL of an S3-compatible service; null for that of the environment, or AWS
 * @param region region of the bucket; null for that of the environment
 */
public record BackupLocation(String target, @Nullable String endpoint, @Nullable String region) {
  private static final Logger LOG = LoggerFactory.getLogger(BackupLocation.class);
  private static final String SCHEME = "s3://";

  /** Name of the directory with the jars. */
  private static final String EXTENSION = "object-storage";

  /** A directory, or a URL with the settings of the environment. */
  public static BackupLocation of(String target) {
    return new BackupLocation(target, null, null);
  }

  boolean isObjectStorage() {
    return target.startsWith(SCHEME);
  }

  /**
   * Opens the storage without a request to it.
   *
   * @throws BackupException if the target, endpoint or region is invalid
   */
  BackupStorage open() throws BackupException {
    if (isObjectStorage()) {
      return openObjects(ObjectLocation.parse(target, endpoint, region));
    }
    if (endpoint != null || region != null) {
      throw new BackupException("endpoint and region are only for s3:// URLs, not for " + target);
    }
    try {
      return new DirectoryStorage(Path.of(target));
    } catch (InvalidPathException e) {
      throw new BackupException("invalid path: " + target, e);
    }
  }

  private static BackupStorage openObjects(ObjectLocation location) throws BackupException {
    URLClassLoader classes = ExtensionJars.loader(EXTENSION);
    try {
      Iterator<ObjectStorage> found = ServiceLoader.load(ObjectStorage.class, classes).iterator();
      if (!found.hasNext()) {
        throw new BackupException(
            "cannot open %s: this installation lacks the directory %s; install FjordMQ again"
                .formatted(location.url(), EXTENSION));
      }
      return new Loaded(found.next().open(location), classes);
    } catch (BackupException | RuntimeException e) {
      close(classes);
      throw e;
    }
  }

  private static void close(URLClassLoader classes) {
    try {
      classes.close();
    } catch (IOException e) {
      LOG.debug("Cannot close the jars of {}", EXTENSION, e);
    }
  }

  /** Object storage whose classes can be unloaded when it is closed. */
  private record Loaded(BackupStorage storage, URLClassLoader classes) implements BackupStorage {
    @Override
    public String location() {
      return storage.location();
    }

    @Override
    public void prepare() throws IOException {
      storage.prepare();
    }

    @Override
    public OptionalLong size(String name) throws IOException {
      return storage.size(name);
    }

    @Override
    public InputStream read(String name) throws IOException {
      return storage.read(name);
    }

    @Override
    public NewFile create(String name) throws IOException {
      return storage.create(name);
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
      storage.put(name, content);
    }

    @Override
    public void delete(String name) throws IOException {
      storage.delete(name);
    }

    @Override
    public long freeBytes() throws IOException {
      return storage.freeBytes();
    }

    @Override
    public void close() {
      storage.close();
      BackupLocation.close(classes);
    }
  }
}
