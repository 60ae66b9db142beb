package io.fjordmq.range;

/**
 * Permanent identifier of a range; never reused.
 *
 * @param store name of the store: {@code dist}, {@code inbox} or {@code retain}
 * @param number unique within the store, from 1
 */
public record RangeId(String store, long number) {
  @Override
  public String toString() {
    return store + "-" + number;
  }
}
