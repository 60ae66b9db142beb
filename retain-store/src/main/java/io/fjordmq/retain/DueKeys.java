package io.fjordmq.retain;

import io.fjordmq.api.Message;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Keys by the time at which something is due; the same order on every replica. */
final class DueKeys {
  private final NavigableMap<Long, TreeSet<byte[]>> byTime = new TreeMap<>();
  private int size;

  void add(long atMillis, byte[] key) {
    if (byTime.computeIfAbsent(atMillis, at -> new TreeSet<>(Arrays::compareUnsigned)).add(key)) {
      size++;
    }
  }

  void remove(long atMillis, byte[] key) {
    TreeSet<byte[]> keys = byTime.get(atMillis);
    if (keys != null && keys.remove(key)) {
      size--;
      if (keys.isEmpty()) {
        byTime.remove(atMillis);
      }
    }
  }

  int size() {
    return size;
  }

  /** {@link Message#NEVER} if there is none. */
  long firstMillis() {
    return byTime.isEmpty() ? Message.NEVER : byTime.firstKey();
  }

  /** The key that is due first; there is one. */
  byte[] first() {
    return byTime.firstEntry().getValue().first();
  }

  void clear() {
    byTime.clear();
    size = 0;
  }
}
