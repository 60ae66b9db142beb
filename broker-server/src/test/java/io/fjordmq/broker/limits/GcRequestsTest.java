package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a collection is asked for, by injected readings and an injected clock. */
class GcRequestsTest {
  private static final long OLD = 10_000;

  private long now = 5;
  private long reading = 900;
  private long left = 900;
  private long takes = 100;
  private int asked;
  private final GcRequests requests =
      new GcRequests(
          OLD,
          () -> now,
          () -> reading,
          () -> {
            asked++;
            now += takes;
            reading = left;
          });

  private int askedAfter(long millis, boolean high) {
    asked = 0;
    for (long end = now + millis; now < end; now += 250) {
      requests.check(high);
    }
    return asked;
  }

  @Test
  void shouldAskWhenTheReadingIsOldAndKeepsTheNodeOverloaded() {
    left = 100;
    assertThat(askedAfter(60_000, false)).isZero();
    assertThat(askedAfter(OLD, true)).as("it is not old yet").isZero();
    assertThat(askedAfter(1_000, true)).isOne();
    assertThat(reading).isEqualTo(100);
    assertThat(askedAfter(60_000, false)).isZero();
  }

  @Test
  void shouldNotAskWhileTheHeapIsCollectedAnyway() {
    for (int i = 0; i < 20; i++) {
      reading++;
      assertThat(askedAfter(OLD - 1_000, true)).isZero();
    }
  }

  @Test
  void shouldAskFromTimeToTimeWhileTheHeapIsFull() {
    assertThat(askedAfter(100_000, true)).isBetween(8, 10);
    takes = 5_000;
    assertThat(askedAfter(1_000_000, true)).as("at most 1/20 of the time").isBetween(9, 11);
  }

  @Test
  void shouldAskAgainWhenItIsOverloadedAgain() {
    left = 100;
    assertThat(askedAfter(OLD + 1_000, true)).isOne();
    askedAfter(1_000, false);
    reading = 950;
    left = 120;
    assertThat(askedAfter(OLD, true)).isZero();
    assertThat(askedAfter(1_000, true)).isOne();
  }
}
