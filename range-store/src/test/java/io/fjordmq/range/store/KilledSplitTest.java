package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeDescriptor;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed repeatedly while its ranges are split and merged: no acknowledged write is
 * lost.
 */
class KilledSplitTest {
  private static final int ROUNDS = 4;
  private static final long NUMBERS_PER_ROUND = 700;
  private static final long RANGES_PER_ROUND = 1000;

  @TempDir Path directory;
  private final Set<Long> acknowledged = new HashSet<>();
  private int merges;
  private long nextNumber;
  private int round;

  /** A short version of the slow tests. */
  @Test
  void shouldKeepEveryAcknowledgedWordWhenKilledTwice() throws Exception {
    splitUntilKilled(true);
    splitUntilKilled(true);
    assertThat(merges).isPositive();
  }

  @Test
  @Tag("slow")
  void shouldKeepEveryAcknowledgedWordWhenKilledWhileItSplits() throws Exception {
    int ranges = 1;
    for (int left = ROUNDS; left > 0; left--) {
      int now = splitUntilKilled(false);
      assertThat(now).isGreaterThan(ranges);
      ranges = now;
    }
  }

  @Test
  @Tag("slow")
  void shouldKeepEveryAcknowledgedWordWhenKilledWhileItSplitsAndMerges() throws Exception {
    for (int left = ROUNDS; left > 0; left--) {
      splitUntilKilled(true);
    }
    assertThat(merges).isGreaterThan(ROUNDS);
  }

  /** Returns the number of ranges at the end. */
  private int splitUntilKilled(boolean merging) throws Exception {
    long until = nextNumber + NUMBERS_PER_ROUND + round * 77L;
    acknowledged.addAll(writeUntilKilled(nextNumber, until, 2 + round * RANGES_PER_ROUND, merging));
    round++;
    try (RealNode node = new RealNode(directory, SplittingProcess.spec())) {
      SplittingProcess.abandonMerges(node.store);
      Set<Long> found = words(node);
      assertThat(found).containsAll(acknowledged);
      List<RangeDescriptor> ranges = node.store.descriptors("words");
      assertOneRangePerKey(ranges);
      nextNumber = found.stream().mapToLong(Long::longValue).max().orElse(0) + 1;
      return ranges.size();
    }
  }

  private static void assertOneRangePerKey(List<RangeDescriptor> ranges) {
    for (int i = 1; i < ranges.size(); i++) {
      assertThat(ranges.get(i).interval().start()).isEqualTo(ranges.get(i - 1).interval().end());
    }
    assertThat(ranges.get(ranges.size() - 1).interval().end()).isNull();
  }

  /** The numbers of all keys, in ascending order; fails if one occurs twice. */
  private static Set<Long> words(RealNode node) throws Exception {
    Set<Long> all = new HashSet<>();
    for (int i = 0; i < SplittingProcess.KEYS; i++) {
      byte[] key = "k%02d".formatted(i).getBytes(UTF_8);
      String value = new String(node.client.query(key, key).get(30, TimeUnit.SECONDS), UTF_8);
      if (!value.isEmpty()) {
        List<Long> words = Arrays.stream(value.split(" ")).map(Long::valueOf).toList();
        assertThat(words).isSorted();
        assertThat(words.stream().allMatch(all::add)).as("once: %s", words).isTrue();
      }
    }
    return all;
  }

  private Set<Long> writeUntilKilled(long first, long last, long firstRange, boolean merging)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                SplittingProcess.class.getName(),
                directory.toString(),
                Long.toString(first),
                Long.toString(firstRange),
                Boolean.toString(merging))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Set<Long> acknowledgedNow = new HashSet<>();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(SplittingProcess.MERGED)) {
          merges++;
        } else if (!line.isEmpty() && line.chars().allMatch(Character::isDigit)) {
          long number = Long.parseLong(line);
          // The last line may be truncated.
          LongStream.of(number).filter(n -> n >= first).forEach(acknowledgedNow::add);
          if (number >= last) {
            // Process.destroyForcibly would also close the pipe, with the output that is still in
            // it.
            process.toHandle().destroyForcibly();
          }
        }
      }
      return acknowledgedNow;
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }
}
