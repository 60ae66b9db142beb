package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What is done to a cluster. Each leaves a majority of the nodes alive and connected to each other,
 * and is mended before the next: that is what the promises are made for.
 */
sealed interface Fault {

  /** To which nodes it is done; clients of the others should hardly notice. */
  Set<Integer> nodes();

  /** Done to one node. */
  sealed interface OfOne extends Fault {
    int node();

    @Override
    default Set<Integer> nodes() {
      return Set.of(node());
    }
  }

  /** Killed with SIGKILL and started again at once. */
  record Killed(int node) implements OfOne {}

  /** Stopped as an operator does and started again. */
  record Restarted(int node) implements OfOne {}

  /** Stopped with --drain, which sends its clients away before, and started again. */
  record Rolled(int node) implements OfOne {}

  /** Does nothing for a while, its connections open; then goes on as if no time had passed. */
  record Frozen(int node, int millis) implements OfOne {}

  /** Neither nodes nor clients reach it for a while. */
  record Unplugged(int node, int millis) implements OfOne {}

  /** What one node sends to another is lost for a while; the other way works. */
  record HalfCut(int from, int to, int millis) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return Set.of(from, to);
    }
  }

  /** Two nodes do not reach each other for a while; the others and the clients reach both. */
  record PairCut(int one, int other, int millis) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return Set.of(one, other);
    }
  }

  /** Its disk takes no more for a while: not a byte is free. */
  record DiskFull(int node, int millis) implements OfOne {}

  /** Its disk stalls for seconds, goes on for a moment, and stalls again, for a while. */
  record DiskSlow(int node, int millis) implements OfOne {}

  /**
   * A sequence of faults, the same for the same seed. Every kind comes up in each round, in a
   * random order.
   *
   * @param nodes at least 3
   */
  static List<Fault> sequence(long seed, int nodes, int rounds) {
    Random random = new Random(seed);
    List<Fault> faults = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      int node = 1 + random.nextInt(nodes);
      int other = 1 + (node + random.nextInt(nodes - 1)) % nodes;
      List<Fault> each =
          new ArrayList<>(
              List.of(
                  new Killed(1 + random.nextInt(nodes)),
                  new Killed(1 + random.nextInt(nodes)),
                  new Restarted(1 + random.nextInt(nodes)),
                  new Rolled(1 + random.nextInt(nodes)),
                  new Frozen(1 + random.nextInt(nodes), longOrShort(random)),
                  new Unplugged(1 + random.nextInt(nodes), longOrShort(random)),
                  new HalfCut(node, other, longOrShort(random)),
                  new PairCut(other, node, longOrShort(random)),
                  new DiskFull(1 + random.nextInt(nodes), longOrShort(random)),
                  new DiskSlow(1 + random.nextInt(nodes), longOrShort(random))));
      java.util.Collections.shuffle(each, random);
      faults.addAll(each);
    }
    return List.copyOf(faults);
  }

  /** Whether it needs {@link Disks}. */
  default boolean isOfDisk() {
    return this instanceof DiskFull || this instanceof DiskSlow;
  }

  /** Below a lease's length, or well above it: both have their own ways to go wrong. */
  private static int longOrShort(Random random) {
    return random.nextBoolean() ? 300 + random.nextInt(2_000) : 5_000 + random.nextInt(7_000);
  }
}
