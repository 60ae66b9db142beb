package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RocksKvSettingsTest {
  private static final long MEBIBYTE = 1L << 20;

  @Test
  void shouldDeriveAutomaticSizesFromTheMemory() {
    assertThat(RocksKvSettings.DEFAULTS.sizedFor(RocksKvSettings.DEFAULT_MEMORY))
        .isEqualTo(settings(32 * MEBIBYTE, 32 * MEBIBYTE, 128 * MEBIBYTE));
    assertThat(RocksKvSettings.DEFAULTS.sizedFor(48 * MEBIBYTE))
        .isEqualTo(settings(8 * MEBIBYTE, 8 * MEBIBYTE, 32 * MEBIBYTE));
  }

  @Test
  void shouldKeepSizesThatAreSet() {
    RocksKvSettings set = settings(5 * MEBIBYTE, 6 * MEBIBYTE, 70 * MEBIBYTE);

    assertThat(set.sizedFor(48 * MEBIBYTE)).isEqualTo(set);
  }

  @Test
  void shouldFitAutomaticSizesToThoseThatAreSet() {
    assertThat(settings(0, 64 * MEBIBYTE, 0).sizedFor(48 * MEBIBYTE))
        .isEqualTo(settings(8 * MEBIBYTE, 64 * MEBIBYTE, 64 * MEBIBYTE));
    assertThat(settings(0, 0, 4 * MEBIBYTE).sizedFor(192 * MEBIBYTE))
        .isEqualTo(settings(32 * MEBIBYTE, 4 * MEBIBYTE, 4 * MEBIBYTE));
  }

  @Test
  void shouldRefuseSizesThatAreTooSmall() {
    assertThatThrownBy(() -> settings(1000, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockCacheBytes must be at least 1048576, not 1000");
    assertThatThrownBy(() -> settings(0, 8 * MEBIBYTE, 4 * MEBIBYTE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("totalWriteBufferBytes must be at least 8388608");
  }

  private static RocksKvSettings settings(long cache, long buffer, long total) {
    RocksKvSettings defaults = RocksKvSettings.DEFAULTS;
    return new RocksKvSettings(
        cache,
        defaults.maxUnwrittenBytes(),
        buffer,
        defaults.maxWriteBuffers(),
        total,
        defaults.maxOpenFiles(),
        defaults.backgroundThreads());
  }
}
