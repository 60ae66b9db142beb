package io.fjordmq.retain;

import io.fjordmq.api.Message;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Keys ordered by due time, then by key, so that the order is the same on every replica. */
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

  /** Returns the earliest due time; {@link Message#NEVER} if there are no keys. */
  long firstMillis() {
    return byTime.isEmpty() ? Message.NEVER : byTime.firstKey();
  }

  /** Returns the key that is due first. There must be one. */
  byte[] first() {
    return byTime.firstEntry().getValue().first();
  }

  void clear() {
    byTime.clear();
    size = 0;
  }
}
