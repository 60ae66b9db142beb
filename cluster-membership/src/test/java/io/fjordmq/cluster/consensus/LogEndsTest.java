package io.fjordmq.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.MalformedBytesException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is noted of the ends of the logs. */
final class LogEndsTest {
  @TempDir Path directory;

  private Path file() {
    return directory.resolve("log.ends");
  }

  @Test
  void shouldRememberTheLastEntryOfEachGroup() throws IOException {
    try (LogEnds ends = LogEnds.open(file())) {
      assertThat(ends.of(1)).isZero();
      ends.reached(1, 7);
      ends.reached(3, 0x1234);
      ends.reached(1, 8);
    }
    try (LogEnds ends = LogEnds.open(file())) {
      assertThat(ends.of(1)).isEqualTo(8);
      assertThat(ends.of(2)).isZero();
      assertThat(ends.of(3)).isEqualTo(0x1234);
      assertThat(ends.of(4)).isZero();
    }
  }

  @Test
  void shouldNotExpectWhatIsCut() throws IOException {
    try (LogEnds ends = LogEnds.open(file())) {
      ends.reached(1, 7);
      ends.cut(1, 9);
      assertThat(ends.of(1)).isEqualTo(7);
      ends.cut(1, 4);
      assertThat(ends.of(1)).isEqualTo(4);
    }
  }

  @Test
  void shouldKeepItsStoredForm() throws IOException {
    try (LogEnds ends = LogEnds.open(file())) {
      ends.reached(2, 258);
    }
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file())))
        .isEqualTo("4c4f47454e445301" + "0000000000000000" + "0000000000000102");
  }

  @Test
  void shouldRefuseAnotherForm() throws IOException {
    Files.write(file(), new byte[16]);
    assertThatThrownBy(() -> LogEnds.open(file())).isInstanceOf(MalformedBytesException.class);
  }
}
