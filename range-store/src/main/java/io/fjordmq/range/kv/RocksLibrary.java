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

/**
 * RocksDB's native library, which comes in its jar and has to be a file before it can be loaded.
 */
public final class RocksLibrary {
  /*
   * RocksDB by itself unpacks it into a new temporary file, which stays there when a process is
   * killed: 15 MB each time. In a folder of ours there is one file, replaced at each start.
   */
  private static final Logger LOG = LoggerFactory.getLogger(RocksLibrary.class);

  private RocksLibrary() {}

  /**
   * Loads it for the whole process, if it is not loaded yet. Blocks.
   *
   * @param folder where it is unpacked, made if missing; if that cannot be (it may forbid
   *     execution) the system's temporary folder serves
   * @throws IOException if it can be loaded from neither; says why not and what to do
   */
  public static void load(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
      load(folder.toString());
    } catch (IOException | RuntimeException | UnsatisfiedLinkError here) {
      try {
        load((String) null);
        LOG.info(
            "Loaded the RocksDB library from the temporary directory: {} directory={}",
            reason(here),
            folder);
      } catch (IOException | RuntimeException | UnsatisfiedLinkError there) {
        throw new IOException(
            "RocksDB's library can be unpacked and loaded neither in %s (%s) nor in the temporary"
                    .formatted(folder, reason(here))
                + " folder, java.io.tmpdir (%s); give one of them 20 MB of free space and let this"
                    .formatted(reason(there))
                + " user write and execute files there",
            there);
      }
    }
  }

  private static String reason(Throwable fault) {
    return fault instanceof FileAlreadyExistsException
        ? "it is no folder"
        : String.valueOf(fault.getMessage());
  }

  private static void load(@Nullable String folder) throws IOException {
    NativeLibraryLoader.getInstance().loadLibrary(folder);
    RocksDB.loadLibrary();
  }
}
