package io.fjordmq.range.kv;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads RocksDB's native library, which has to be unpacked from its jar first. */
public final class RocksLibrary {
  /*
   * By default RocksDB unpacks it into a new temporary file of 15 MB, which stays behind if the
   * process is killed. In our own directory there is a single file, replaced at each start.
   */
  private static final Logger LOG = LoggerFactory.getLogger(RocksLibrary.class);

  private RocksLibrary() {}

  /**
   * Loads the library for the whole process, unless it is already loaded. Blocks.
   *
   * @param folder directory to unpack it into, created if missing; if that fails, for example
   *     because it is mounted noexec, the system's temporary directory is used
   * @throws IOException if it cannot be loaded from either; the message names the causes and the
   *     remedy
   */
  public static void load(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
      load(folder.toString());
    } catch (IOException | RuntimeException | UnsatisfiedLinkError folderFailure) {
      try {
        load((String) null);
        LOG.info(
            "Loaded the RocksDB library from the temporary directory: {} directory={}",
            reason(folderFailure),
            folder);
      } catch (IOException | RuntimeException | UnsatisfiedLinkError temporaryFailure) {
        throw new IOException(
            "cannot load the RocksDB library from %s (%s) or from the temporary directory,"
                    .formatted(folder, reason(folderFailure))
                + " java.io.tmpdir (%s); one of them needs 20 MB of free space, and this user must"
                    .formatted(reason(temporaryFailure))
                + " be allowed to write and execute files there",
            temporaryFailure);
      }
    }
  }

  private static String reason(Throwable failure) {
    return failure instanceof FileAlreadyExistsException
        ? "not a directory"
        : String.valueOf(failure.getMessage());
  }

  private static void load(@Nullable String folder) throws IOException {
    NativeLibraryLoader.getInstance().loadLibrary(folder);
    RocksDB.loadLibrary();
  }
}
