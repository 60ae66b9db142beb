package io.fjordmq.cluster;

import java.util.List;

/** The configured addresses through which a node finds others. Thread-safe. */
public interface SeedSource {

  /**
   * Looks up all names and returns their current addresses, without duplicates. A name that cannot
   * be resolved is returned as it is. Blocks.
   */
  List<NodeAddress> lookUp();

  /** Like {@link #lookUp}, but returns the latest known addresses and does not block. */
  List<NodeAddress> latest();

  /** Returns seeds that are never looked up. */
  static SeedSource fixed(List<NodeAddress> addresses) {
    List<NodeAddress> copy = List.copyOf(addresses);
    return new SeedSource() {
      @Override
      public List<NodeAddress> lookUp() {
        return copy;
      }

      @Override
      public List<NodeAddress> latest() {
        return copy;
      }
    };
  }
}
