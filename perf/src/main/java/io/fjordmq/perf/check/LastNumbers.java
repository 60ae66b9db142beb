package io.fjordmq.perf.check;

import java.util.Arrays;

/**
 * Stores the last number that a member of a shared subscription has received from each publisher
 * and QoS class. Uses open addressing without boxing, because a member may receive messages from up
 * to a hundred thousand publishers.
 */
final class LastNumbers {
  private static final int EMPTY = -1;

  private int[] publishers = new int[16];
  private int[] numbers = new int[16];
  private int size;

  LastNumbers() {
    Arrays.fill(publishers, EMPTY);
  }

  /** Stores a number; returns the previous one, or -1 if there was none. */
  int put(int publisher, int number) {
    if (2 * size >= publishers.length) {
      grow();
    }
    int slot = slot(publishers, publisher);
    if (publishers[slot] == EMPTY) {
      publishers[slot] = publisher;
      numbers[slot] = number;
      size++;
      return -1;
    }
    int previous = numbers[slot];
    numbers[slot] = number;
    return previous;
  }

  private static int slot(int[] table, int publisher) {
    int mask = table.length - 1;
    int slot = (publisher * 0x9E3779B9 >>> 7) & mask;
    while (table[slot] != EMPTY && table[slot] != publisher) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void grow() {
    int[] newPublishers = new int[2 * publishers.length];
    int[] newNumbers = new int[newPublishers.length];
    Arrays.fill(newPublishers, EMPTY);
    for (int i = 0; i < publishers.length; i++) {
      if (publishers[i] != EMPTY) {
        int slot = slot(newPublishers, publishers[i]);
        newPublishers[slot] = publishers[i];
        newNumbers[slot] = numbers[i];
      }
    }
    publishers = newPublishers;
    numbers = newNumbers;
  }
}
