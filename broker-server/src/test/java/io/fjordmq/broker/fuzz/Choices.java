package io.fjordmq.broker.fuzz;

import java.util.Arrays;
import java.util.List;

/** Reads an input as decisions. At its end, every decision is the first choice. */
final class Choices {
  private final byte[] input;
  private int at;

  Choices(byte[] input) {
    this.input = input;
  }

  boolean hasMore() {
    return at < input.length;
  }

  /** 0 to 255. */
  int octet() {
    return hasMore() ? input[at++] & 0xFF : 0;
  }

  /** 0 to 65,535. */
  int pair() {
    return octet() << 8 | octet();
  }

  /** 0 to {@code choices} - 1; at most 256 choices. */
  int below(int choices) {
    return octet() % choices;
  }

  boolean nextBoolean() {
    return (octet() & 1) == 1;
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(below(choices.size()));
  }

  /** The next so many bytes, or all that are left. */
  byte[] bytes(int most) {
    int from = at;
    at = Math.min(input.length, at + most);
    return Arrays.copyOfRange(input, from, at);
  }
}
