package io.fjordmq.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file system and the disk of the data directory. */
class DiskCheckTest {
  @TempDir Path root;
  @TempDir Path data;

  private FakeKernelFiles machine;

  @BeforeEach
  void tune() {
    machine = new FakeKernelFiles(root);
  }

  private Finding find(String check, boolean measures) {
    return new DiskCheck(
            machine.machine(), machine.configuration(), data.resolve("not/yet"), measures)
        .findings()
        .filter(finding -> finding.check().startsWith(check))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ext4 | rw | OK
          xfs | rw,noatime | OK
          ext4 | rw,barrier=0 | PROBLEM
          nfs4 | rw | PROBLEM
          tmpfs | rw | PROBLEM
          overlay | rw | PROBLEM
          """)
  void shouldKnowUnsuitableFileSystems(String type, String options, Status status) {
    machine.file(
        "/proc/self/mountinfo",
        """
        25 1 0:20 / / rw shared:1 - squashfs /dev/loop0 ro
        26 25 0:21 / %s rw - tmpfs none rw
        27 25 0:22 / %s rw shared:2 - %s /dev/sda1 %s
        28 25 0:23 / %s-other rw - tmpfs none rw
        """
            .formatted(data, data, type, options, data));
    assertThat(find("file system", false).status()).isEqualTo(status);
    assertThat(find("file system", false).found()).startsWith(type);
  }

  @Test
  void shouldCompareFreeSpaceWithTheConfiguration() throws IOException {
    machine.set("raftPortConfig.snapshotReserveBytes", Long.toString(Long.MAX_VALUE / 1_000));
    assertThat(find("free space", false).status()).isEqualTo(Status.WARNING);
    long more = Files.getFileStore(data).getTotalSpace() + 1;
    machine.set("diskConfig.minFreeBytes", Long.toString(more));
    assertThat(find("free space", false).status()).isEqualTo(Status.PROBLEM);
  }

  @Test
  void shouldMeasureTheDiskAndLeaveNothingBehind() throws IOException {
    Finding finding = find("fsync", true);
    assertThat(finding.found()).matches("median [0-9.]+ ms, p99 [0-9.]+ ms \\([0-9]+ writes\\)");
    try (Stream<Path> files = Files.list(data)) {
      assertThat(files).isEmpty();
    }
  }
}
