package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: no shard of the block cache is too small for a large block, unless the whole cache is. */
class RocksOptionsTest {
  @ParameterizedTest
  @CsvSource({"1, 0", "8, 0", "15, 0", "16, 1", "32, 2", "100, 3", "512, 6", "4096, 6"})
  void shouldDivideOnlyLargeCaches(long megabytes, int shardBits) {
    assertThat(RocksOptions.shardBits(megabytes << 20)).isEqualTo(shardBits);
  }
}
