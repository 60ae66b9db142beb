package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A fault injected into a cluster. Each leaves a majority of the nodes alive and connected to each
 * except for {@link PowerCutAll} and some of {@link TwoAtOnce} and {@link ThreeAtOnce}, and is
 * repaired before the next.
 */
sealed interface Fault {

  /** The affected nodes; clients of the others should hardly notice. */
  Set<Integer> nodes();

  /** Affects one node. */
  sealed interface SingleNode extends Fault {
    int node();

    @Override
    default Set<Integer> nodes() {
      return Set.of(node());
    }
  }

  /** Killed with SIGKILL and started again at once. */
  record Killed(int node) implements SingleNode {}

  /**
   * Killed with SIGKILL and restarted at once; everything it wrote but did not sync is lost, as in
   * a power failure.
   */
  record PowerCut(int node) implements SingleNode {}

  /**
   * The same on all nodes at the same moment: a majority has synced every acknowledged message, so
   * it survives.
   */
  record PowerCutAll(int size) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return IntStream.rangeClosed(1, size).boxed().collect(Collectors.toSet());
    }
  }

  /** Stopped with SIGTERM and restarted. */
  record Restarted(int node) implements SingleNode {}

  /** Stopped with --drain, which redirects its clients first, and restarted. */
  record Rolled(int node) implements SingleNode {}

  /**
   * Stopped, and started with its other version: upgraded, or taken back.
   *
   * @param drain whether it is stopped with --drain; else it is killed
   */
  record VersionChanged(int node, boolean drain) implements SingleNode {}

  /** All nodes, one by one: each restarts when the one before accepts clients again. */
  record RollingRestart(int size, boolean drain) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return IntStream.rangeClosed(1, size).boxed().collect(Collectors.toSet());
    }
  }

  /** Suspended for a while with open connections; then it continues as if no time had passed. */
  record Frozen(int node, int millis) implements SingleNode {}

  /** Neither nodes nor clients can reach it for a while. */
  record Unplugged(int node, int millis) implements SingleNode {}

  /** Everything one node sends to another is lost for a while; the other direction works. */
  record HalfCut(int from, int to, int millis) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return Set.of(from, to);
    }
  }

  /** Two nodes cannot reach each other for a while; the others and the clients reach both. */
  record PairCut(int one, int other, int millis) implements Fault {
    @Override
    public Set<Integer> nodes() {
      return Set.of(one, other);
    }
  }

  /**
   * The wall clocks of one node or of all nodes are off by this many seconds for a while, then
   * correct again. Two days is longer than sessions and messages live.
   */
  record ClockJump(Set<Integer> nodes, long seconds, int millis) implements Fault {}

  /**
   * Two of different kinds, the second during the first. At most a minority of the nodes is down at
   * any moment; a full or slow disk, a cut link or a wrong clock may come on top of that.
   */
  record TwoAtOnce(Fault first, Fault second) implements Fault {
    @Override
    public Set<Integer> nodes() {
      Set<Integer> both = new TreeSet<>(first.nodes());
      both.addAll(second.nodes());
      return both;
    }
  }

  /**
   * One node's disk is full and one's is slow, perhaps the same node's; meanwhile a node is killed
   * or loses power, perhaps one of these. With three nodes there may be no majority that can write
   * for as long as it lasts.
   */
  record ThreeAtOnce(DiskFull full, DiskSlow slow, SingleNode kill) implements Fault {
    public ThreeAtOnce {
      // A stalled file system cannot be unmounted.
      if (kill instanceof PowerCut && kill.node() == slow.node()) {
        throw new IllegalArgumentException("no power cut while the disk stalls: " + kill);
      }
    }

    @Override
    public Set<Integer> nodes() {
      return new TreeSet<>(List.of(full.node, slow.node, kill.node()));
    }
  }

  /**
   * Two nodes are down at the same time for a while, which five nodes can do without.
   *
   * @param apartMillis how long the first is down before the second is killed; 0 if both are killed
   *     at the same moment
   * @param millis how long both are down
   */
  record TwoDown(int first, int second, int apartMillis, int millis) implements Fault {
    /** How many nodes it takes for the others to be a majority. */
    static final int MIN_NODES = 5;

    @Override
    public Set<Integer> nodes() {
      return Set.of(first, second);
    }
  }

  /** Its disk is full for a while: not a byte is free. */
  record DiskFull(int node, int millis) implements SingleNode {}

  /** Its disk stalls for seconds, works for a moment, and stalls again, for a while. */
  record DiskSlow(int node, int millis) implements SingleNode {}

  /**
   * A sequence of faults, determined by the seed. Every kind occurs in each round, in a random
   * order.
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
                  new PowerCut(1 + random.nextInt(nodes)),
                  new PowerCutAll(nodes),
                  new Restarted(1 + random.nextInt(nodes)),
                  new Rolled(1 + random.nextInt(nodes)),
                  new VersionChanged(1 + random.nextInt(nodes), random.nextBoolean()),
                  new RollingRestart(nodes, random.nextBoolean()),
                  new Frozen(1 + random.nextInt(nodes), longOrShort(random)),
                  new Unplugged(1 + random.nextInt(nodes), longOrShort(random)),
                  new HalfCut(node, other, longOrShort(random)),
                  new PairCut(other, node, longOrShort(random)),
                  jump(random, nodes),
                  twoAtOnce(random, nodes),
                  threeAtOnce(random, nodes),
                  new DiskFull(1 + random.nextInt(nodes), longOrShort(random)),
                  new DiskSlow(1 + random.nextInt(nodes), longOrShort(random))));
      if (nodes >= TwoDown.MIN_NODES) {
        each.add(twoDown(random, node, other));
      }
      Collections.shuffle(each, random);
      faults.addAll(each);
    }
    return List.copyOf(faults);
  }

  /** Whether it needs {@link Disks}. */
  default boolean needsDisks() {
    return this instanceof DiskFull || this instanceof DiskSlow;
  }

  /** Whether it needs {@link Disks#canLosePower}. */
  default boolean needsPowerCuts() {
    return this instanceof PowerCut || this instanceof PowerCutAll;
  }

  /**
   * Its parts: itself, except for {@link TwoAtOnce} and {@link ThreeAtOnce}. All but the last
   * continue while the last is injected.
   */
  default List<Fault> parts() {
    if (this instanceof TwoAtOnce two) {
      return List.of(two.first, two.second);
    }
    return this instanceof ThreeAtOnce three
        ? List.of(three.full, three.slow, three.kill)
        : List.of(this);
  }

  /** The names of all kinds, as in the usage of {@code bin/chaos.sh}. */
  static Set<String> kinds() {
    return Stream.of(Fault.class, SingleNode.class)
        .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
        .filter(Class::isRecord)
        .map(Class::getSimpleName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The kind with its parts, if there are several, as in the usage of {@code bin/chaos.sh}. */
  default String kind() {
    return parts().stream()
        .map(part -> part.getClass().getSimpleName())
        .collect(Collectors.joining("+"));
  }

  /**
   * The first lasts longer than a lease and leaves its node running; the second takes a node down.
   * A node with a wrong clock or a cut way may go down as well; one whose disk is full only by a
   * kill, as it could not be stopped in order.
   */
  private static TwoAtOnce twoAtOnce(Random random, int nodes) {
    int node = 1 + random.nextInt(nodes);
    int other = 1 + (node + random.nextInt(nodes - 1)) % nodes;
    int millis = 6_000 + random.nextInt(5_000);
    Set<Integer> one = Set.of(node);
    long seconds = random.nextBoolean() ? 172_800 : -3_600;
    Fault first =
        switch (random.nextInt(5)) {
          case 0 -> new DiskFull(node, millis);
          case 1 -> new DiskSlow(node, millis);
          case 2 -> new PairCut(node, other, millis);
          case 3 -> new HalfCut(node, other, millis);
          default -> new ClockJump(one, seconds, millis);
        };
    int hit = random.nextBoolean() ? node : 1 + random.nextInt(nodes);
    boolean isDisk = first.needsDisks() && hit == node;
    Fault second =
        switch (random.nextInt(isDisk ? 1 : 6)) {
          case 0 -> new Killed(hit);
          case 1 -> new PowerCut(hit);
          case 2 -> new Restarted(hit);
          case 3 -> new Rolled(hit);
          case 4 -> new Frozen(hit, millis / 2);
          default -> new Unplugged(hit, millis / 2);
        };
    return new TwoAtOnce(first, second);
  }

  private static ThreeAtOnce threeAtOnce(Random random, int nodes) {
    int full = 1 + random.nextInt(nodes);
    int slow = 1 + random.nextInt(nodes);
    int millis = 6_000 + random.nextInt(5_000);
    int hit = 1 + random.nextInt(nodes);
    boolean losesPower = hit != slow && random.nextBoolean();
    return new ThreeAtOnce(
        new DiskFull(full, millis),
        new DiskSlow(slow, millis),
        losesPower ? new PowerCut(hit) : new Killed(hit));
  }

  /**
   * The second is killed together with the first, or after the others noticed the first is down.
   */
  private static TwoDown twoDown(Random random, int first, int second) {
    int apart = random.nextBoolean() ? 0 : 4_000 + random.nextInt(4_000);
    return new TwoDown(first, second, apart, longOrShort(random));
  }

  private static ClockJump jump(Random random, int nodes) {
    List<Integer> all = IntStream.rangeClosed(1, nodes).boxed().toList();
    Set<Integer> which =
        random.nextBoolean() ? Set.of(all.get(random.nextInt(nodes))) : new TreeSet<>(all);
    long seconds = List.of(2L, 10L, 3_600L, 172_800L).get(random.nextInt(4));
    return new ClockJump(which, random.nextBoolean() ? seconds : -seconds, longOrShort(random));
  }

  /** Shorter than a lease, or much longer: each can fail in its own way. */
  private static int longOrShort(Random random) {
    return random.nextBoolean() ? 300 + random.nextInt(2_000) : 5_000 + random.nextInt(7_000);
  }
}
