package io.fjordmq.cluster.membership;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Cluster time on this node: what the leader of the metadata said last, carried forward by the
 * monotonic clock. The wall clock is not followed; it only serves to notice that one of the two
 * clocks of this machine jumped or stood still (decision 0037). Read by any thread, set by that of
 * the membership.
 */
public final class ClusterClock implements InstantSource {
  /** {@link #stampMillis} while no entry may get a time. */
  public static final long UNKNOWN = -1;

  /** A thread that is descheduled between reading the two clocks sees a jump that never was. */
  private static final int READS = 5;

  private final InstantSource wall;
  private final LongSupplier monotonicMillis;
  private final long toleranceMillis;
  private volatile Basis basis;

  /** Both clocks when the renewal was sent that this node's lease rests on. */
  private volatile Reading renewed;

  private volatile boolean known;

  /** Both clocks of this machine at one moment. */
  record Reading(long wallMillis, long monotonicMillis) {}

  private record Basis(Reading at, long clusterMillis) {}

  /**
   * @param wall clock of this machine
   * @param monotonicMillis never runs backwards, and may stand still while the machine does
   * @param floorMillis cluster time is not earlier, as far as this node knows; 0 if it knows
   *     nothing
   * @param toleranceMillis by which the two clocks may disagree
   */
  ClusterClock(
      InstantSource wall, LongSupplier monotonicMillis, long floorMillis, long toleranceMillis) {
    this.wall = wall;
    this.monotonicMillis = monotonicMillis;
    this.toleranceMillis = toleranceMillis;
    this.renewed = read();
    this.basis = new Basis(renewed, Math.max(floorMillis, renewed.wallMillis()));
  }

  /** Cluster time; until it is known, the best guess of this node. */
  @Override
  public long millis() {
    return at(basis, glance());
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  /** Cluster time for an entry of a log, or {@link #UNKNOWN}: then nothing may be proposed. */
  public long stampMillis() {
    return known && isSteady() ? millis() : UNKNOWN;
  }

  /** How far this machine's wall clock is ahead of cluster time; behind: negative. */
  public long wallAheadMillis() {
    Reading now = glance();
    return now.wallMillis() - at(basis, now);
  }

  InstantSource wall() {
    return wall;
  }

  long toleranceMillis() {
    return toleranceMillis;
  }

  boolean isKnown() {
    return known;
  }

  /** Whether both clocks have gone on alike since the last renewal. */
  boolean isSteady() {
    return agree(renewed, glance()) || agree(renewed, read());
  }

  /**
   * Whether so much time has not passed since the last renewal was sent. Asks both clocks: the
   * monotonic one stands still while the machine is suspended.
   */
  boolean isWithin(long leaseMillis) {
    Reading since = renewed;
    Reading now = glance();
    if (!agree(since, now)) {
      now = read();
    }
    return agree(since, now)
        && now.wallMillis() - since.wallMillis() < leaseMillis
        && now.monotonicMillis() - since.monotonicMillis() < leaseMillis;
  }

  /** The clocks now, to be kept until the answer to what is sent now arrives. */
  Reading read() {
    Reading best = glance();
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < READS && shortest > 1; i++) {
      long before = monotonicMillis.getAsLong();
      long wallMillis = wall.millis();
      long took = monotonicMillis.getAsLong() - before;
      if (took < shortest) {
        shortest = took;
        best = new Reading(wallMillis, before);
      }
    }
    return best;
  }

  private Reading glance() {
    return new Reading(wall.millis(), monotonicMillis.getAsLong());
  }

  private boolean agree(Reading earlier, Reading later) {
    return Math.abs(passedByWall(earlier, later) - passed(earlier, later)) <= toleranceMillis;
  }

  private static long passed(Reading earlier, Reading later) {
    return later.monotonicMillis() - earlier.monotonicMillis();
  }

  private static long passedByWall(Reading earlier, Reading later) {
    return later.wallMillis() - earlier.wallMillis();
  }

  /** If the clocks disagree nobody knows which is right: late is better than early. */
  private long at(Basis since, Reading now) {
    long passed = passed(since.at(), now);
    return agree(since.at(), now)
        ? since.clusterMillis() + passed
        : since.clusterMillis() + Math.max(0, Math.min(passed, passedByWall(since.at(), now)));
  }

  /**
   * A renewal was answered: from now on this node is within what the leader said and how long the
   * answer took.
   *
   * @return false if a clock jumped meanwhile, so that nobody knows when the lease began
   */
  boolean follow(Reading sent, long leaderMillis) {
    Reading now = read();
    if (!agree(sent, now)) {
      return false;
    }
    if (known && passed(renewed, sent) < 0) {
      return true; // a later one was answered first
    }
    long took = passed(sent, now);
    long mine = known ? at(basis, now) : leaderMillis;
    long agreed = Math.min(Math.max(mine, leaderMillis), leaderMillis + took + 1);
    basis = new Basis(sent, agreed - took);
    renewed = sent;
    known = true;
    return true;
  }

  /** This node leads the metadata and says what time it is. */
  void begin(long clusterMillis) {
    basis = new Basis(read(), clusterMillis);
    known = true;
  }

  /**
   * As leader: goes on from what it says now, whatever the clocks did, and a little faster or
   * slower.
   */
  void carryOn(long correctionMillis) {
    Reading now = read();
    basis = new Basis(now, at(basis, now) + correctionMillis);
  }
}
