package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MedianSplitKeyTest {

  /** Samples of the keys 1, 2, 3, …, each with the given count. */
  private static List<byte[]> samples(int... counts) {
    List<byte[]> keys = new ArrayList<>();
    for (int key = 0; key < counts.length; key++) {
      for (int i = 0; i < counts[key]; i++) {
        keys.add(new byte[] {(byte) (key + 1)});
      }
    }
    return keys;
  }

  private static int splitKeyOf(int... counts) {
    return MedianSplitKey.of(samples(counts)) instanceof SplitAdvice.Split split
        ? split.key()[0]
        : 0;
  }

  private static SplitAdvice keep(Reason reason) {
    return new SplitAdvice.Keep(reason);
  }

  @Test
  void shouldSplitWhereTheHalvesAreMostEven() {
    assertThat(splitKeyOf(25, 25, 25, 25)).isEqualTo(3);
    assertThat(splitKeyOf(40, 20, 20, 20)).isEqualTo(2);
    assertThat(splitKeyOf(5, 5, 5, 45, 20, 20)).isEqualTo(5);
    assertThat(splitKeyOf(50, 50)).isEqualTo(2);
  }

  @Test
  void shouldSplitNextToAHeavyKeyIfThatHelps() {
    assertThat(splitKeyOf(20, 45, 35)).isEqualTo(3);
    assertThat(splitKeyOf(60, 40)).isEqualTo(2);
  }

  @Test
  void shouldReportWhyNoSplitHelps() {
    assertThat(MedianSplitKey.of(samples(15, 70, 15))).isEqualTo(keep(Reason.ONE_HOT_KEY));
    assertThat(MedianSplitKey.of(samples(100))).isEqualTo(keep(Reason.ONE_HOT_KEY));
    assertThat(MedianSplitKey.of(samples(31, 38, 31))).isEqualTo(keep(Reason.UNEVEN));
  }

  @Test
  void shouldNotSplitIfTooFewKeysWereSampled() {
    assertThat(MedianSplitKey.of(samples(31, 32))).isEqualTo(keep(Reason.TOO_FEW_KEYS));
    assertThat(MedianSplitKey.of(List.of())).isEqualTo(keep(Reason.TOO_FEW_KEYS));
  }
}
