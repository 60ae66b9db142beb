package io.fjordmq.broker.disk;

import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.membership.Member;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects the cluster while this node's disk has problems (decision 0023). It takes the mildest
 * measure that helps:
 *
 * <ol>
 *   <li>The node reports FULL or SLOW, so other nodes take over the ranges it leads.
 *   <li>While a write is stuck for longer than {@code slowAfter}, the node sends no Raft requests
 *       as leader or candidate, so that other nodes elect leaders, because the threads that hand
 *       over leadership may be stuck as well.
 *   <li>While writes fail, or one is stuck for twice {@code slowAfter}, the node is suspended,
 *       because its route replicas cannot apply entries and every SUBSCRIBE in the cluster would
 *       otherwise wait for the node.
 * </ol>
 *
 * The last two measures apply only after the cluster has committed this node's report during the
 * same episode, which proves that a majority works without this disk. {@link #check} must be called
 * by a single thread and does not block; all other methods are thread-safe.
 */
final class DiskHealthMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(DiskHealthMonitor.class);

  private static final int SUSPEND_FACTOR = 2;

  /**
   * The time without a slow write after which the disk counts as healthy again, as a multiple of
   * {@code slowAfter}.
   */
  private static final int RECOVERY_FACTOR = 5;

  /** The cluster; no method blocks. */
  interface Cluster {
    /**
     * The state of this node according to its own copy of the metadata; null if it is the only
     * node.
     */
    Member.@Nullable State state();

    /** Reports the state of the disk to the cluster: FULL, SLOW or UP. */
    CompletableFuture<Void> report(Member.State disk);

    void suppressLeaderRequests(boolean suppress);

    void suspend(String reason);

    void resume();
  }

  /**
   * The state of the disk.
   *
   * @param hasSpace whether there is enough free disk space
   * @param failure why writes are failing; null if they are not
   * @param logLatency the latency of log writes
   */
  record DiskState(
      BooleanSupplier hasSpace,
      Supplier<@Nullable String> failure,
      Supplier<LogLatency> logLatency) {}

  private final DiskState diskState;
  private final Cluster cluster;
  private final long slowAfterMillis;

  private long slowUntilMillis;
  private long failingSinceMillis;
  private boolean slow;
  private boolean failing;
  private boolean impaired;
  private boolean suspended;
  private Member.State reportedState = Member.State.UP;
  private long reportedMillis = Long.MIN_VALUE / 2;
  private volatile long episode;
  private volatile long acknowledgedEpisode;
  private volatile boolean reporting;
  private volatile @Nullable String problem;

  /**
   * @param slowAfterMillis the write latency at which the disk counts as slow
   */
  DiskHealthMonitor(DiskState diskState, Cluster cluster, long slowAfterMillis) {
    this.diskState = diskState;
    this.cluster = cluster;
    this.slowAfterMillis = slowAfterMillis;
  }

  /** A disk problem other than low space, for the operator; null if there is none. */
  @Nullable String problem() {
    return problem;
  }

  /**
   * Checks the disk; called several times per {@code slowAfter} with the time of a monotonic clock.
   */
  void check(long nowMillis) {
    LogLatency latency = diskState.logLatency().get();
    String failure = diskState.failure().get();
    Member.State state = cluster.state();
    observe(latency, failure, nowMillis);
    Member.State disk = diskMemberState();
    problem = slow ? "log writes are slow" : failure;
    if (state == null) {
      return; // no other node could take over
    }
    reportState(state, disk, nowMillis);
    boolean acknowledged = impaired && acknowledgedEpisode == episode;
    cluster.suppressLeaderRequests(acknowledged && latency.waitingMillis() >= slowAfterMillis);
    suspendOrResume(acknowledged, suspendReason(latency, failure, nowMillis));
  }

  private void observe(LogLatency latency, @Nullable String failure, long nowMillis) {
    boolean slowNow = Math.max(latency.waitingMillis(), latency.slowestMillis()) >= slowAfterMillis;
    if (slowNow) {
      slowUntilMillis = nowMillis + RECOVERY_FACTOR * slowAfterMillis;
    }
    slow = slowNow || (slow && nowMillis < slowUntilMillis);
    if (failure != null && !failing) {
      failingSinceMillis = nowMillis;
    }
    failing = failure != null;
    boolean impairedNow = failing || latency.waitingMillis() >= slowAfterMillis;
    if (impairedNow && !impaired) {
      episode++;
    }
    impaired = impairedNow;
  }

  private Member.State diskMemberState() {
    if (failing || !diskState.hasSpace().getAsBoolean()) {
      return Member.State.FULL;
    }
    return slow ? Member.State.SLOW : Member.State.UP;
  }

  private void reportState(Member.State state, Member.State disk, long nowMillis) {
    // A node that is starting leads no ranges, and a draining or leaving node hands them over
    // anyway.
    boolean upToDate = impaired ? acknowledgedEpisode == episode : state == disk;
    if (upToDate
        || reporting
        || nowMillis - reportedMillis < slowAfterMillis / 2
        || state == Member.State.STARTING
        || state == Member.State.DRAINING
        || state == Member.State.LEAVING) {
      return;
    }
    if (disk != reportedState) {
      if (disk == Member.State.UP) {
        LOG.info("Disk recovered; this node may lead ranges again");
      } else {
        LOG.warn(
            "Disk problem; moving leadership to other nodes; check the disk and its free space"
                + " state={}",
            disk);
      }
      reportedState = disk;
    }
    reporting = true;
    reportedMillis = nowMillis;
    long reportedEpisode = episode;
    cluster
        .report(disk)
        .whenComplete(
            (reported, failure) -> {
              if (failure == null) {
                acknowledgedEpisode = reportedEpisode;
              } else {
                LOG.debug("Could not report the disk state to the cluster state={}", disk, failure);
              }
              reporting = false;
            });
  }

  private @Nullable String suspendReason(
      LogLatency latency, @Nullable String failure, long nowMillis) {
    if (failure != null) {
      return nowMillis - failingSinceMillis >= slowAfterMillis ? failure : null;
    }
    return latency.waitingMillis() >= SUSPEND_FACTOR * slowAfterMillis
        ? "a log write has been stuck for " + latency.waitingMillis() + " ms"
        : null;
  }

  private void suspendOrResume(boolean acknowledged, @Nullable String reason) {
    if (acknowledged && reason != null && !suspended) {
      suspended = true;
      cluster.suspend(reason);
    } else if (suspended && !impaired) {
      suspended = false;
      cluster.resume();
    }
  }
}
