package io.fjordmq.broker.userdb;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a list.
 *
 * @param total the number of elements of the whole list
 */
public record Page<T>(List<T> elements, int total) {

  public Page {
    elements = List.copyOf(elements);
  }

  /** Collects a page from elements that are added in the order of the list. */
  static final class Collector<T> {
    private final int offset;
    private final int limit;
    private final List<T> elements = new ArrayList<>();
    private int total;

    Collector(int offset, int limit) {
      this.offset = offset;
      this.limit = limit;
    }

    /** Whether the next element is on the page. */
    boolean isWanted() {
      return total >= offset && elements.size() < limit;
    }

    void add(T element) {
      if (isWanted()) {
        elements.add(element);
      }
      total++;
    }

    /** Counts an element that is not {@linkplain #isWanted wanted}. */
    void skip() {
      total++;
    }

    Page<T> page() {
      return new Page<>(elements, total);
    }
  }
}
