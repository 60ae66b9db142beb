package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksKvTest extends KvContract {
  private static final RocksKvSettings SMALL =
      RecordBuilder.from(RocksKvSettings.DEFAULTS)
          .with(RocksKvSettings::blockCacheBytes, 1 << 20)
          .with(RocksKvSettings::maxUnwrittenBytes, 2_000)
          .with(RocksKvSettings::writeBufferBytes, 1 << 20)
          .with(RocksKvSettings::maxWriteBuffers, 4)
          .with(RocksKvSettings::totalWriteBufferBytes, 4 << 20)
          .with(RocksKvSettings::maxOpenFiles, 64)
          .with(RocksKvSettings::backgroundThreads, 1)
          .build();

  @TempDir Path directory;
  @TempDir Path image;

  @Override
  Kv open() {
    return RocksKv.open(directory.resolve("state"), SMALL);
  }

  /** A killed process leaves the contents of its files. */
  @Override
  Kv openCrashImage() {
    try (Stream<Path> files = Files.list(directory.resolve("state"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (!file.getFileName().toString().equals("LOCK")) {
          Files.copy(file, image.resolve(file.getFileName()));
        }
      }
      return RocksKv.open(image, SMALL);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldReportThatAnotherProcessUsesTheDirectory() {
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.kind()).isEqualTo(KvException.Kind.LOCKED))
        .hasMessageContaining("another process");
  }

  @Test
  void shouldReportDamagedFiles() throws IOException {
    write("a", "1");
    kv().close();
    Files.writeString(directory.resolve("state/CURRENT"), "MANIFEST-999999\n");
    assertThatThrownBy(this::open)
        .isInstanceOf(KvException.class)
        .hasMessageContaining(directory.resolve("state").toString());
    deleteState();
    openFirst();
  }

  private void deleteState() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("state"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
  }

  @Test
  void shouldReportMetricsOfItsContents() {
    write("a", "x".repeat(100_000));
    assertThat(kv().metrics().memtableBytes()).isGreaterThan(100_000);
    kv().flush().join();
    assertThat(kv().metrics().tableFileBytes()).isPositive();
    assertThat(kv().metrics().writeStopped()).isFalse();
    assertThat(kv().failure()).isNull();
  }

  @Test
  void shouldReadThroughManyTableFiles() {
    for (int round = 0; round < 12; round++) {
      for (int key = 0; key < 50; key++) {
        write("k" + key, "round " + round);
      }
      kv().flush().join();
    }
    assertThat(scan(kv().space("words").latest(), "", null))
        .hasSize(50)
        .allMatch(entry -> entry.endsWith("=round 11"));
  }
}
