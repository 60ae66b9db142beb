package io.fjordmq.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long MIB = 1 << 20;

  private final AtomicInteger retries = new AtomicInteger();
  private long free = 1_000 * MIB;
  private boolean unreadable;

  private DiskWatch watch(long minFreeBytes) {
    return new DiskWatch(
        Path.of("/data"), this::read, minFreeBytes, List.of(retries::incrementAndGet));
  }

  private long read() throws IOException {
    if (unreadable) {
      throw new IOException("stale handle");
    }
    return free;
  }

  private static boolean hasRoom(DiskWatch watch) {
    watch.measure();
    return watch.hasFreeSpace();
  }

  @Test
  void shouldReportAShortageBelowTheMinimum() {
    DiskWatch watch = watch(800 * MIB);
    assertThat(hasRoom(watch)).isTrue();
    assertThat(watch.shortage()).isNull();
    free = 799 * MIB;
    assertThat(hasRoom(watch)).isFalse();
    assertThat(watch.freeBytes()).isEqualTo(free);
    assertThat(watch.shortage())
        .contains(
            "/data", "799 MiB", "diskConfig.minFreeBytes (800 MiB)", "recovers automatically");
  }

  @Test
  void shouldNotFlapAtTheMinimum() {
    DiskWatch watch = watch(800 * MIB);
    free = 799 * MIB;
    assertThat(hasRoom(watch)).isFalse();
    free = 899 * MIB;
    assertThat(hasRoom(watch)).isFalse();
    free = 900 * MIB;
    assertThat(hasRoom(watch)).isTrue();
    free = 800 * MIB;
    assertThat(hasRoom(watch)).isTrue();
  }

  @Test
  void shouldNeverReportAShortageIfTheMinimumIsZero() {
    DiskWatch watch = watch(0);
    free = 0;
    assertThat(hasRoom(watch)).isTrue();
  }

  @Test
  void shouldKeepTheLastResultAndRetryWhileTheCheckFails() {
    DiskWatch watch = watch(800 * MIB);
    free = 1;
    assertThat(hasRoom(watch)).isFalse();
    unreadable = true;
    assertThat(hasRoom(watch)).isFalse();
    assertThat(retries).hasValue(2);
  }
}
