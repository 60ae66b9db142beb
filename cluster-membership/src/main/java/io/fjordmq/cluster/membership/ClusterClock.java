package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.membership.ClockReport.Source;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cluster time on this node: the last time received from the metadata leader, advanced by the
 * monotonic clock of the host. The wall clock is used only to detect that one of the host's two
 * clocks has jumped or stopped (decision 0037). Any thread may read cluster time; only the
 * membership thread sets it.
 */
public final class ClusterClock implements InstantSource {
  /** Returned by {@link #stampMillis} while entries cannot be stamped. */
  public static final long UNKNOWN = -1;

  /**
   * Maximum number of attempts to read both clocks at the same moment. If the thread is descheduled
   * between the two reads, it looks as if a clock had jumped.
   */
  private static final int READS = 5;

  private final InstantSource wall;
  private final LongSupplier monotonicMillis;
  private final long toleranceMillis;
  private final long maxAdvanceMillis;

  /** The saved time when this process started; null if none was saved. */
  private final @Nullable Basis saved;

  private volatile Basis basis;

  /** Both clocks when the last granted renewal was sent; this node's lease begins there. */
  private volatile Reading lastRenewal;

  private volatile boolean known;

  /** A reading of both clocks of the host. */
  record Reading(long wallMillis, long monotonicMillis) {}

  private record Basis(Reading at, long clusterMillis) {}

  /**
   * @param wall the wall clock of the host
   * @param monotonicMillis never goes backwards; may stop while the host is suspended
   * @param savedMillis cluster time saved before the last stop, a lower bound; 0 if none was saved
   * @param toleranceMillis the tolerated difference between the two clocks
   * @param maxAdvanceMillis maximum time that a wall clock may be ahead of the saved time at
   *     startup
   */
  ClusterClock(
      InstantSource wall,
      LongSupplier monotonicMillis,
      long savedMillis,
      long toleranceMillis,
      long maxAdvanceMillis) {
    this.wall = wall;
    this.monotonicMillis = monotonicMillis;
    this.toleranceMillis = toleranceMillis;
    this.maxAdvanceMillis = maxAdvanceMillis;
    this.lastRenewal = read();
    this.saved = savedMillis == 0 ? null : new Basis(lastRenewal, savedMillis);
    long wallMillis = lastRenewal.wallMillis();
    boolean tooFarAhead = savedMillis != 0 && wallMillis - savedMillis > maxAdvanceMillis;
    this.basis =
        new Basis(lastRenewal, tooFarAhead ? savedMillis : Math.max(savedMillis, wallMillis));
  }

  /** Returns cluster time, or this node's best guess until cluster time is known. */
  @Override
  public long millis() {
    return clusterTimeAt(basis, readOnce());
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  /** Returns cluster time for a log entry, or {@link #UNKNOWN} if nothing may be proposed. */
  public long stampMillis() {
    return known && isSteady() ? millis() : UNKNOWN;
  }

  /**
   * Returns how far the wall clock of the host is ahead of cluster time; negative if it is behind.
   */
  public long wallAheadMillis() {
    Reading now = readOnce();
    return now.wallMillis() - clusterTimeAt(basis, now);
  }

  InstantSource wall() {
    return wall;
  }

  long toleranceMillis() {
    return toleranceMillis;
  }

  /** See {@link MembershipSettings#maxClockAdvance}. */
  long maxAdvanceMillis() {
    return maxAdvanceMillis;
  }

  /** Returns the report for a renewal sent at this reading. */
  ClockReport report(Reading sent) {
    if (known) {
      return new ClockReport(sent.wallMillis(), millis(), Source.KNOWN);
    }
    return saved == null
        ? new ClockReport(sent.wallMillis(), sent.wallMillis(), Source.GUESS)
        : new ClockReport(sent.wallMillis(), clusterTimeAt(saved, readOnce()), Source.SAVED);
  }

  boolean isKnown() {
    return known;
  }

  /**
   * Returns whether both clocks have advanced equally since the last renewal, within the tolerance.
   */
  boolean isSteady() {
    return clocksAgree(lastRenewal, readOnce()) || clocksAgree(lastRenewal, read());
  }

  /**
   * Returns whether less than this time has elapsed since the last renewal was sent. Checks both
   * clocks, because the monotonic clock stops while the host is suspended.
   */
  boolean wasRenewedWithin(long leaseMillis) {
    Reading since = lastRenewal;
    Reading now = readOnce();
    if (!clocksAgree(since, now)) {
      now = read();
    }
    return clocksAgree(since, now)
        && now.wallMillis() - since.wallMillis() < leaseMillis
        && now.monotonicMillis() - since.monotonicMillis() < leaseMillis;
  }

  /**
   * Reads both clocks. A caller that sends a renewal keeps the result until the response arrives.
   */
  Reading read() {
    Reading best = readOnce();
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < READS && shortest > 1; i++) {
      long before = monotonicMillis.getAsLong();
      long wallMillis = wall.millis();
      long elapsedMillis = monotonicMillis.getAsLong() - before;
      if (elapsedMillis < shortest) {
        shortest = elapsedMillis;
        best = new Reading(wallMillis, before);
      }
    }
    return best;
  }

  private Reading readOnce() {
    return new Reading(wall.millis(), monotonicMillis.getAsLong());
  }

  private boolean clocksAgree(Reading earlier, Reading later) {
    return Math.abs(wallElapsed(earlier, later) - elapsed(earlier, later)) <= toleranceMillis;
  }

  private static long elapsed(Reading earlier, Reading later) {
    return later.monotonicMillis() - earlier.monotonicMillis();
  }

  private static long wallElapsed(Reading earlier, Reading later) {
    return later.wallMillis() - earlier.wallMillis();
  }

  /**
   * Returns cluster time at a reading. If the clocks disagree, returns the earlier time: it is
   * unknown which clock is right, and the earlier time is safer.
   */
  private long clusterTimeAt(Basis since, Reading now) {
    long elapsed = elapsed(since.at(), now);
    return clocksAgree(since.at(), now)
        ? since.clusterMillis() + elapsed
        : since.clusterMillis() + Math.max(0, Math.min(elapsed, wallElapsed(since.at(), now)));
  }

  /**
   * Adjusts cluster time to the response to a renewal. The remaining error is at most the
   * round-trip time.
   *
   * @return false if a clock jumped in the meantime, so that the start of the lease is unknown
   */
  boolean adjustTo(Reading sent, long leaderMillis) {
    Reading now = read();
    if (!clocksAgree(sent, now)) {
      return false;
    }
    if (known && elapsed(lastRenewal, sent) < 0) {
      return true; // the response to a later renewal arrived first
    }
    long elapsedMillis = elapsed(sent, now);
    long ownMillis = known ? clusterTimeAt(basis, now) : leaderMillis;
    long agreed = Math.min(Math.max(ownMillis, leaderMillis), leaderMillis + elapsedMillis + 1);
    basis = new Basis(sent, agreed - elapsedMillis);
    lastRenewal = sent;
    known = true;
    return true;
  }

  /** Sets cluster time; for the metadata leader. */
  void setClusterTime(long clusterMillis) {
    basis = new Basis(read(), clusterMillis);
    known = true;
  }

  /**
   * Continues from the current cluster time, regardless of clock jumps, with a small correction;
   * for the metadata leader.
   */
  void advance(long correctionMillis) {
    Reading now = read();
    basis = new Basis(now, clusterTimeAt(basis, now) + correctionMillis);
  }
}
