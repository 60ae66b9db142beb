package io.fjordmq.testing.architecture;

import org.jspecify.annotations.Nullable;

/** Part of {@link RingOfThree}. */
final class RingOfThreeSecond {
  @Nullable RingOfThreeThird third;
}
