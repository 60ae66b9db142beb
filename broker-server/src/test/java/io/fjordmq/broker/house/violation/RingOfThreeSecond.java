package io.fjordmq.broker.house.violation;

import org.jspecify.annotations.Nullable;

/** Part of {@link RingOfThree}. */
final class RingOfThreeSecond {
  @Nullable RingOfThreeThird third;
}
