package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeyReservoirTest {
  private static final int CAPACITY = 100;

  private final KeyReservoir reservoir = new KeyReservoir(CAPACITY, 1);

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static int number(byte[] key) {
    return ByteBuffer.wrap(key).getInt();
  }

  private void offer(int from, int to) {
    for (int i = from; i < to; i++) {
      reservoir.offer(key(i));
    }
  }

  @Test
  void shouldKeepEveryKeyBelowTheCapacity() {
    offer(0, CAPACITY);
    assertThat(reservoir.sample().stream().map(KeyReservoirTest::number))
        .containsExactlyInAnyOrderElementsOf(
            java.util.stream.IntStream.range(0, CAPACITY).boxed().toList());
  }

  @Test
  void shouldSampleEachKeyWithTheSameProbability() {
    double sum = 0;
    int count = 0;
    for (int seed = 0; seed < 50; seed++) {
      KeyReservoir one = new KeyReservoir(CAPACITY, seed);
      for (int i = 0; i < 10_000; i++) {
        one.offer(key(i));
      }
      List<byte[]> sample = one.sample();
      assertThat(sample).hasSize(CAPACITY);
      sum += sample.stream().mapToInt(KeyReservoirTest::number).sum();
      count += sample.size();
    }
    // 5,000 samples of a uniform distribution: the standard deviation of the mean is 41.
    assertThat(sum / count).isCloseTo(4_999.5, within(200.0));
  }

  @Test
  void shouldDiscardTheOlderHalfWhenRotated() {
    offer(0, 50);
    reservoir.rotate();
    offer(1_000, 1_050);
    assertThat(reservoir.sample()).hasSize(100);
    reservoir.rotate();
    assertThat(reservoir.sample()).allMatch(key -> number(key) >= 1_000);
    reservoir.rotate();
    assertThat(reservoir.sample()).isEmpty();
  }

  @Test
  void shouldReturnOnlyTheNewerHalfWhenItIsFull() {
    offer(0, CAPACITY);
    reservoir.rotate();
    offer(1_000, 1_000 + CAPACITY - 1);
    assertThat(reservoir.latest()).hasSize(2 * CAPACITY - 1);
    offer(2_000, 2_050);
    assertThat(reservoir.latest()).hasSize(CAPACITY).allMatch(key -> number(key) >= 1_000);
    assertThat(reservoir.sample()).hasSize(2 * CAPACITY);
  }
}
