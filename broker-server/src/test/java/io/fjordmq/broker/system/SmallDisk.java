package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A separate file system for one directory of a broker, small enough to be filled: in memory, and
 * visible to that process only, in a mount namespace. Needs no privileges; ends with the process.
 *
 * @param folder that the process sees it at; must exist
 * @param megabytes it has room for
 */
record SmallDisk(Path folder, int megabytes) {
  private static final byte[] CHUNK = new byte[1 << 20];

  /** Whether this machine supports it. */
  static boolean isPossible(Path folder) {
    try {
      List<String> line = new ArrayList<>(new SmallDisk(folder, 1).wrapper());
      line.add("true");
      return new ProcessBuilder(line).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The prefix of the process's command. */
  List<String> wrapper() {
    String mount = "mount -t tmpfs -o size=" + megabytes + "m tmpfs '" + folder + "'";
    return List.of("unshare", "-rm", "sh", "-c", mount + " && exec \"$@\"", "sh");
  }

  /** Leaves no free space. */
  void fill(long pid) {
    try (OutputStream file = Files.newOutputStream(filler(pid))) {
      for (int size = CHUNK.length; size > 0; size /= 2) {
        fillBy(file, size);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Leaves this many megabytes free. */
  void fillExcept(long pid, int leave) {
    fill(pid);
    try (RandomAccessFile file = new RandomAccessFile(filler(pid).toFile(), "rw")) {
      file.setLength(file.length() - ((long) leave << 20));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fillBy(OutputStream file, int size) {
    try {
      while (true) {
        file.write(CHUNK, 0, size);
      }
    } catch (IOException e) {
      // No space left for this chunk: continue with a smaller one.
    }
  }

  /** Frees what {@link #fill} took. */
  void free(long pid) {
    try {
      Files.delete(filler(pid));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path filler(long pid) {
    return Path.of("/proc", Long.toString(pid), "root", folder.toString(), "filler");
  }
}
