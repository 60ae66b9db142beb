package io.fjordmq.range;

/**
 * Names a range for ever; never reused.
 *
 * @param store which store it belongs to: {@code dist}, {@code inbox}, {@code retain}
 * @param number unique in the store, from 1
 */
public record RangeId(String store, long number) {
  @Override
  public String toString() {
    return store + "-" + number;
  }
}
