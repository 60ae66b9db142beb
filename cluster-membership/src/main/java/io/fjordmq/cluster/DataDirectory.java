package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that holds all persistent state of a node. Only one process at a time can lock it.
 *
 * <p>The lock is an operating system lock on the file {@code lock}, which is released no matter how
 * the process ends. The file contains the process id, for operators.
 */
public final class DataDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  static final String LOCK_FILE = "lock";

  private final Path path;
  private final FileChannel lockFile;

  private DataDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /**
   * Locks the directory. Creates it if only its last path element is missing. Only the user of this
   * process keeps access.
   *
   * @throws FileSystemException if the directory cannot be used; the message explains why and what
   *     to do
   */
  public static DataDirectory open(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    createIfMissing(path);
    if (!Files.isWritable(path) || !Files.isExecutable(path)) {
      throw unusable(
          path,
          "the data directory is not writable by this user; change its owner or choose another directory",
          null);
    }
    DataDirectory locked = new DataDirectory(path, lock(path));
    makePrivate(path);
    return locked;
  }

  /**
   * Revokes the access of other users, because earlier versions created the directory with the
   * permissions that the umask allowed.
   */
  private static void makePrivate(Path path) {
    try {
      if (PrivateDirectory.restrict(path)) {
        LOG.warn(
            "Data directory was accessible to other users; its mode is now 0700 path={}", path);
      }
    } catch (IOException e) {
      LOG.warn("Cannot make the data directory private: {}; run chmod 0700 on it path={}", e, path);
    }
  }

  public Path path() {
    return path;
  }

  /** Returns the path of a file or directory in this directory. */
  public Path resolve(String name) {
    return path.resolve(name);
  }

  /** Unlocks the directory. All files in it must already be closed. */
  @Override
  public void close() throws IOException {
    lockFile.close();
  }

  private static void createIfMissing(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return;
    }
    if (Files.exists(path)) {
      throw unusable(
          path, "the data directory path is a file; remove it or choose another directory", null);
    }
    Path parent = path.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw unusable(
          path,
          "the data directory cannot be created: '%s' is not a directory; create that"
                  .formatted(parent)
              + " directory or correct the path",
          null);
    }
    try {
      PrivateDirectory.create(path);
      AtomicFile.syncDirectory(parent);
    } catch (IOException e) {
      throw unusable(
          path,
          "the data directory cannot be created: %2$s; make '%1$s' writable for this user"
              .formatted(parent, e),
          e);
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel = openLockFile(path);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw locked(path, channel);
      }
      channel.truncate(0);
      String pid = ProcessHandle.current().pid() + "\n";
      channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
      return channel;
    } catch (OverlappingFileLockException e) {
      FileSystemException failure = locked(path, channel);
      channel.close();
      throw failure;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel openLockFile(Path path) throws IOException {
    try {
      return FileChannel.open(
          path.resolve(LOCK_FILE),
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw unusable(
          path, "cannot open the lock file: " + e + "; make the data directory writable", e);
    }
  }

  private static FileSystemException locked(Path path, FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(20);
    channel.read(content, 0);
    String pid = new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII);
    return unusable(
        path,
        "the data directory is locked by process %s; stop that node, or start this one with a"
                .formatted(pid.strip())
            + " different data directory",
        null);
  }

  private static FileSystemException unusable(Path path, String reason, @Nullable Exception cause) {
    FileSystemException failure = new FileSystemException(path.toString(), null, reason);
    if (cause != null) {
      failure.initCause(cause);
    }
    return failure;
  }
}
