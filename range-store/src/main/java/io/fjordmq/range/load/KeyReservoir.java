package io.fjordmq.range.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Keeps uniform samples of the keys of a range that were accessed since the last {@link #rotate},
 * and in the period before it. Thread-safe.
 *
 * <p>Each half of the sample uses Li's algorithm L ("Reservoir-Sampling Algorithms of Time
 * Complexity O(n(1+log(N/n)))", 1994): it draws how many keys to skip, so that nearly all calls
 * only count down.
 */
final class KeyReservoir {
  private final int capacity;
  private final SplittableRandom random;
  private List<byte[]> current = new ArrayList<>();
  private List<byte[]> previous = List.of();
  private long skip;
  private double weight;

  /**
   * @param capacity keys in each half of the sample, at least 1
   */
  KeyReservoir(int capacity, long seed) {
    this.capacity = capacity;
    this.random = new SplittableRandom(seed);
    begin();
  }

  /**
   * Offers an accessed key to the sample.
   *
   * @param key must not be modified afterwards
   */
  synchronized void offer(byte[] key) {
    if (skip > 0) {
      skip--;
    } else if (current.size() < capacity) {
      current.add(key);
      if (current.size() == capacity) {
        drawSkip();
      }
    } else {
      current.set(random.nextInt(capacity), key);
      drawSkip();
    }
  }

  /** Discards the older half; the newer half becomes the older one. */
  synchronized void rotate() {
    previous = current;
    begin();
  }

  /** Returns both halves, in no particular order. */
  synchronized List<byte[]> sample() {
    List<byte[]> all = new ArrayList<>(previous);
    all.addAll(current);
    return all;
  }

  /** Returns the newer half if it is full, otherwise both halves; in no particular order. */
  synchronized List<byte[]> latest() {
    return current.size() == capacity ? List.copyOf(current) : sample();
  }

  private void begin() {
    current = new ArrayList<>();
    skip = 0;
    weight = 1;
  }

  private void drawSkip() {
    weight *= Math.exp(Math.log(uniform()) / capacity);
    double keys = Math.floor(Math.log(uniform()) / Math.log1p(-weight));
    skip = keys >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) keys;
  }

  /** Returns a random number above 0, so that its logarithm is finite. */
  private double uniform() {
    return 1 - random.nextDouble();
  }
}
