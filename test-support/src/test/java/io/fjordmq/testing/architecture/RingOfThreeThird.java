package io.fjordmq.testing.architecture;

/** Part of {@link RingOfThree}; a nested class counts as well. */
final class RingOfThreeThird {
  static final class Nested {
    final Class<?> first = RingOfThree.class;
  }
}
