package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When the node requests a garbage collection, with injected readings and an injected clock. */
class GcRequestsTest {
  private static final long OLD = 10_000;

  private long now = 5;
  private long reading = 900;
  private long readingAfter = 900;
  private long durationMillis = 100;
  private int collections;
  private final GcRequests requests =
      new GcRequests(
          OLD,
          () -> now,
          () -> reading,
          () -> {
            collections++;
            now += durationMillis;
            reading = readingAfter;
          });

  private int collectionsAfter(long millis, boolean high) {
    collections = 0;
    for (long end = now + millis; now < end; now += 250) {
      requests.check(high);
    }
    return collections;
  }

  @Test
  void shouldRequestACollectionWhenAnOldReadingKeepsTheNodeOverloaded() {
    readingAfter = 100;
    assertThat(collectionsAfter(60_000, false)).isZero();
    assertThat(collectionsAfter(OLD, true)).as("it is not old yet").isZero();
    assertThat(collectionsAfter(1_000, true)).isOne();
    assertThat(reading).isEqualTo(100);
    assertThat(collectionsAfter(60_000, false)).isZero();
  }

  @Test
  void shouldNotRequestACollectionWhileTheJvmCollectsByItself() {
    for (int i = 0; i < 20; i++) {
      reading++;
      assertThat(collectionsAfter(OLD - 1_000, true)).isZero();
    }
  }

  @Test
  void shouldRequestCollectionsPeriodicallyWhileTheHeapIsFull() {
    assertThat(collectionsAfter(100_000, true)).isBetween(8, 10);
    durationMillis = 5_000;
    assertThat(collectionsAfter(1_000_000, true)).as("at most 1/20 of the time").isBetween(9, 11);
  }

  @Test
  void shouldRequestAnotherCollectionWhenOverloadedAgain() {
    readingAfter = 100;
    assertThat(collectionsAfter(OLD + 1_000, true)).isOne();
    collectionsAfter(1_000, false);
    reading = 950;
    readingAfter = 120;
    assertThat(collectionsAfter(OLD, true)).isZero();
    assertThat(collectionsAfter(1_000, true)).isOne();
  }
}
