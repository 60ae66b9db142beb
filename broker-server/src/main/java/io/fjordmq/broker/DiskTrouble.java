package io.fjordmq.broker;

import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.membership.Member;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does for its cluster while its disk is in trouble (decision 0023), the mildest that
 * helps:
 *
 * <ol>
 *   <li>It says FULL or SLOW: whatever another can lead is led by another.
 *   <li>While a write is stuck for longer than {@code slowAfter}, it is silent as a leader: the
 *       threads that could hand over may be stuck, too.
 *   <li>While nothing can be written, or a write is stuck for twice {@code slowAfter}, it rests:
 *       its replicas of routes stand still, so that everybody's subscriptions would wait for it.
 * </ol>
 *
 * The last two only after the cluster has taken note meanwhile: a write that a majority made
 * without this disk shows that they can go on. {@link #look} belongs to one thread and does not
 * block; everything else to any.
 */
final class DiskTrouble {
  private static final Logger LOG = LoggerFactory.getLogger(DiskTrouble.class);

  private static final int RESTS_AFTER = 2;

  /** So long nothing must have been slow before the disk counts as well. */
  private static final int CALM = 5;

  /** The cluster as this needs it; nothing blocks. */
  interface Cluster {
    /** Of this node, as far as it knows; null if it is the only one. */
    Member.@Nullable State state();

    /** Says how the disk is: FULL, SLOW or UP. */
    CompletableFuture<Void> say(Member.State disk);

    void silence(boolean silent);

    void rest(String why);

    void resume();
  }

  /**
   * The disk.
   *
   * @param hasRoom whether as much is free as should be
   * @param failure why nothing can be written; null if it can
   */
  record Signs(
      BooleanSupplier hasRoom, Supplier<@Nullable String> failure, Supplier<LogLatency> pace) {}

  private final Signs signs;
  private final Cluster cluster;
  private final long slowAfterMillis;

  private long slowUntilMillis;
  private long failingSinceMillis;
  private boolean slow;
  private boolean failing;
  private boolean impaired;
  private boolean resting;
  private Member.State told = Member.State.UP;
  private long askedMillis = Long.MIN_VALUE / 2;
  private volatile long episode;
  private volatile long notedInEpisode;
  private volatile boolean asking;
  private volatile @Nullable String trouble;

  /**
   * @param slowAfterMillis from which on a write is slow
   */
  DiskTrouble(Signs signs, Cluster cluster, long slowAfterMillis) {
    this.signs = signs;
    this.cluster = cluster;
    this.slowAfterMillis = slowAfterMillis;
  }

  /** What an operator should be told besides what is free; null if nothing. */
  @Nullable String trouble() {
    return trouble;
  }

  /** To be called several times in {@code slowAfter}; with a clock that only goes forward. */
  void look(long nowMillis) {
    LogLatency pace = signs.pace().get();
    String failure = signs.failure().get();
    Member.State state = cluster.state();
    notice(pace, failure, nowMillis);
    Member.State disk = disk();
    trouble = slow ? "writes to its disk wait for seconds" : failure;
    if (state == null) {
      return; // alone: nobody could do anything about it
    }
    tell(state, disk, nowMillis);
    boolean noted = impaired && notedInEpisode == episode;
    cluster.silence(noted && pace.waitingMillis() >= slowAfterMillis);
    restOrResume(noted, whyRest(pace, failure, nowMillis));
  }

  private void notice(LogLatency pace, @Nullable String failure, long nowMillis) {
    boolean slowNow = Math.max(pace.waitingMillis(), pace.slowestMillis()) >= slowAfterMillis;
    if (slowNow) {
      slowUntilMillis = nowMillis + CALM * slowAfterMillis;
    }
    slow = slowNow || (slow && nowMillis < slowUntilMillis);
    if (failure != null && !failing) {
      failingSinceMillis = nowMillis;
    }
    failing = failure != null;
    boolean impairedNow = failing || pace.waitingMillis() >= slowAfterMillis;
    if (impairedNow && !impaired) {
      episode++;
    }
    impaired = impairedNow;
  }

  private Member.State disk() {
    if (failing || !signs.hasRoom().getAsBoolean()) {
      return Member.State.FULL;
    }
    return slow ? Member.State.SLOW : Member.State.UP;
  }

  private void tell(Member.State state, Member.State disk, long nowMillis) {
    boolean toldInTime = impaired ? notedInEpisode == episode : state == disk;
    if (toldInTime
        || asking
        || nowMillis - askedMillis < slowAfterMillis / 2
        || state == Member.State.STARTING
        || state == Member.State.DRAINING
        || state == Member.State.LEAVING) {
      return; // such a node gives away what it leads already
    }
    if (disk != told) {
      LOG.info(
          disk == Member.State.UP
              ? "Disk recovered; this node may lead ranges again"
              : "Disk trouble; moving leadership to other nodes state={}",
          disk);
      told = disk;
    }
    asking = true;
    askedMillis = nowMillis;
    long during = episode;
    cluster
        .say(disk)
        .whenComplete(
            (said, failure) -> {
              if (failure == null) {
                notedInEpisode = during;
              } else {
                LOG.debug("the cluster was not told that the disk is {}", disk, failure);
              }
              asking = false;
            });
  }

  private @Nullable String whyRest(LogLatency pace, @Nullable String failure, long nowMillis) {
    if (failure != null) {
      return nowMillis - failingSinceMillis >= slowAfterMillis ? failure : null;
    }
    return pace.waitingMillis() >= RESTS_AFTER * slowAfterMillis
        ? "the log has been waiting for the disk for " + pace.waitingMillis() + " ms"
        : null;
  }

  private void restOrResume(boolean noted, @Nullable String why) {
    if (noted && why != null && !resting) {
      resting = true;
      cluster.rest(why);
    } else if (resting && !impaired) {
      resting = false;
      cluster.resume();
    }
  }
}
