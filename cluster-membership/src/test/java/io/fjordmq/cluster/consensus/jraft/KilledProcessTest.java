package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.testing.Await;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repeated {@code kill -9} while the process appends to the same directory. */
@Tag("slow")
final class KilledProcessTest {
  private static final int ROUNDS = 4;
  private static final long NUMBERS_PER_ROUND = 3_000;

  @TempDir Path directory;

  @Test
  void shouldKeepEveryAcknowledgedEntryWhenKilledDuringAppends() throws Exception {
    long next = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long acknowledged = writeUntilKilled(next, next + NUMBERS_PER_ROUND + round * 777L);
      List<Long> found = replay();
      assertThat(found).as("in order, without gaps").isEqualTo(upTo(found.size()));
      assertThat((long) found.size()).as("acknowledged").isGreaterThan(acknowledged);
      next = found.size();
    }
  }

  private static List<Long> upTo(int count) {
    return LongStream.range(0, count).boxed().toList();
  }

  /** Returns the last number that the process acknowledged before it was killed. */
  private long writeUntilKilled(long first, long last) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                WriterProcess.class.getName(),
                directory.toString(),
                Long.toString(first))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      long acknowledged = -1;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isEmpty() && line.chars().allMatch(Character::isDigit)) {
          // The last line may be incomplete.
          acknowledged = Math.max(acknowledged, Long.parseLong(line));
          if (acknowledged == last) {
            // Process.destroyForcibly would also close the pipe, with output still in it.
            process.toHandle().destroyForcibly();
          }
        }
      }
      assertThat(acknowledged).isGreaterThanOrEqualTo(last);
      return acknowledged;
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  private List<Long> replay() throws Exception {
    NumbersState state = new NumbersState(number -> {});
    try (JRaftHost host = WriterProcess.open(directory)) {
      Consensus consensus = host.open(WriterProcess.GROUP, state);
      Await.until("leads", () -> consensus.leadership().leading());
      return state.numbers();
    }
  }
}
