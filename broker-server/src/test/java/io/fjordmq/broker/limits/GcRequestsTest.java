package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests when the node requests a garbage collection, with injected readings and clock. */
class GcRequestsTest {
  private static final long OLD_MILLIS = 10_000;

  private long now = 5;
  private long reading = 900;
  private long readingAfter = 900;
  private long durationMillis = 100;
  private int collections;
  private final GcRequests requests =
      new GcRequests(
          OLD_MILLIS,
          () -> now,
          () -> reading,
          () -> {
            collections++;
            now += durationMillis;
            reading = readingAfter;
          });

  private int countCollections(long millis, boolean high) {
    collections = 0;
    for (long end = now + millis; now < end; now += 250) {
      requests.check(high);
    }
    return collections;
  }

  @Test
  void shouldRequestACollectionWhenAnOldReadingKeepsTheNodeOverloaded() {
    readingAfter = 100;
    assertThat(countCollections(60_000, false)).isZero();
    assertThat(countCollections(OLD_MILLIS, true)).as("the reading is not old yet").isZero();
    assertThat(countCollections(1_000, true)).isOne();
    assertThat(reading).isEqualTo(100);
    assertThat(countCollections(60_000, false)).isZero();
  }

  @Test
  void shouldNotRequestACollectionWhileTheJvmCollectsByItself() {
    for (int i = 0; i < 20; i++) {
      reading++;
      assertThat(countCollections(OLD_MILLIS - 1_000, true)).isZero();
    }
  }

  @Test
  void shouldRequestCollectionsPeriodicallyWhileTheHeapIsFull() {
    assertThat(countCollections(100_000, true)).isBetween(8, 10);
    durationMillis = 5_000;
    assertThat(countCollections(1_000_000, true)).as("at most 1/20 of the time").isBetween(9, 11);
  }

  @Test
  void shouldRequestAnotherCollectionWhenOverloadedAgain() {
    readingAfter = 100;
    assertThat(countCollections(OLD_MILLIS + 1_000, true)).isOne();
    countCollections(1_000, false);
    reading = 950;
    readingAfter = 120;
    assertThat(countCollections(OLD_MILLIS, true)).isZero();
    assertThat(countCollections(1_000, true)).isOne();
  }
}
