package io.fjordmq.cluster.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that records the end of each log. */
final class LogEndMarkersTest {
  @TempDir Path directory;

  private Path file() {
    return directory.resolve("log.ends");
  }

  @Test
  void shouldRecordTheLastEntryOfEachGroup() throws IOException {
    try (LogEndMarkers ends = LogEndMarkers.open(file())) {
      assertThat(ends.syncedIndex(1)).isZero();
      ends.recordEnd(1, 7);
      ends.recordEnd(3, 0x1234);
      ends.recordEnd(1, 8);
    }
    try (LogEndMarkers ends = LogEndMarkers.open(file())) {
      assertThat(ends.syncedIndex(1)).isEqualTo(8);
      assertThat(ends.syncedIndex(2)).isZero();
      assertThat(ends.syncedIndex(3)).isEqualTo(0x1234);
      assertThat(ends.syncedIndex(4)).isZero();
    }
  }

  @Test
  void shouldNotExpectTruncatedEntries() throws IOException {
    try (LogEndMarkers ends = LogEndMarkers.open(file())) {
      ends.recordEnd(1, 7);
      ends.recordTruncation(1, 9);
      assertThat(ends.syncedIndex(1)).isEqualTo(7);
      ends.recordTruncation(1, 4);
      assertThat(ends.syncedIndex(1)).isEqualTo(4);
    }
  }

  @Test
  void shouldKeepItsStoredFormat() throws IOException {
    try (LogEndMarkers ends = LogEndMarkers.open(file())) {
      ends.recordEnd(2, 258);
    }
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file())))
        .isEqualTo("4c4f47454e445301" + "0000000000000000" + "0000000000000102");
  }

  @Test
  void shouldRejectAnotherFormat() throws IOException {
    Files.write(file(), new byte[16]);
    assertThatThrownBy(() -> LogEndMarkers.open(file()))
        .isInstanceOf(MalformedBytesException.class);
  }
}
