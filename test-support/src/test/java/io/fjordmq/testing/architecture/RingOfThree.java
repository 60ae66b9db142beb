package io.fjordmq.testing.architecture;

/** Depends on itself through two other classes. */
public final class RingOfThree {
  RingOfThreeSecond second = new RingOfThreeSecond();

  private RingOfThree() {}

  /** All classes of the cycle. */
  public static Class<?>[] members() {
    return new Class<?>[] {
      RingOfThree.class,
      RingOfThreeSecond.class,
      RingOfThreeThird.class,
      RingOfThreeThird.Nested.class
    };
  }
}
