package io.fjordmq.cli.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Measures how long a disk takes to store small writes, as the Raft log makes them: appends 4 KiB
 * and syncs them, at most 200 times or for two seconds.
 */
final class FsyncProbe {
  private static final int MAX_WRITES = 200;
  private static final long MAX_NANOS = 2_000_000_000L;
  private static final int WRITE_BYTES = 4096;
  private static final int PERCENT = 100;
  private static final int HIGH_PERCENTILE = 99;

  /**
   * The durations of the writes with their syncs.
   *
   * @param median in nanoseconds
   * @param percentile99 in nanoseconds
   * @param writes the number of writes
   */
  record Latency(long median, long percentile99, int writes) {}

  private FsyncProbe() {}

  /**
   * Measures in a directory, with a temporary file.
   *
   * @throws IOException if the directory is not writable
   */
  static Latency measure(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, ".fjordmq-doctor", ".tmp");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long[] nanos = new long[MAX_WRITES];
      long begin = System.nanoTime();
      int count = 0;
      while (count < MAX_WRITES && (count == 0 || System.nanoTime() - begin < MAX_NANOS)) {
        long start = System.nanoTime();
        channel.write(ByteBuffer.allocate(WRITE_BYTES));
        channel.force(false);
        nanos[count] = System.nanoTime() - start;
        count++;
      }
      Arrays.sort(nanos, 0, count);
      return new Latency(
          nanos[count / 2], nanos[Math.min(count - 1, count * HIGH_PERCENTILE / PERCENT)], count);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
