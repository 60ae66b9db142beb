package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * Limits and timeouts of a node's Raft groups.
 *
 * @param log settings of the shared log database
 * @param electionTimeout time without contact with its leader after which a follower starts an
 *     election; a leader sends five heartbeats in this time. If this node is the only voter of a
 *     group, it becomes leader immediately
 * @param queuedProposals maximum number of outstanding proposals of one group, a power of two;
 *     further proposals fail with {@code BUSY}
 * @param maxUnappliedBytes maximum size of one group's entries in memory that are not yet on disk
 *     or not yet applied; further proposals fail with {@code BUSY}
 * @param maxEntryBytes maximum size of one entry; a larger one is a programming error
 * @param proposalsPerAppend maximum number of entries of one group that are queued for the disk
 *     together
 * @param maxAppendBytes maximum size of one group's entries that are written and synced together
 * @param closeTimeout limit of each of three waits when a replica closes: for calls to return, for
 *     jraft's threads to end, and for proposals to be resolved; closing continues after a timeout
 */
public record ConsensusSettings(
    RaftLogSettings log,
    Duration electionTimeout,
    int queuedProposals,
    long maxUnappliedBytes,
    int maxEntryBytes,
    int proposalsPerAppend,
    int maxAppendBytes,
    Duration closeTimeout) {

  /**
   * Election timeout 1 s, 1,024 proposals or 64 MiB pending, entries up to 16 MiB, 10 s to close.
   */
  public static final ConsensusSettings DEFAULT =
      new ConsensusSettings(
          RaftLogSettings.DEFAULT,
          Duration.ofSeconds(1),
          1024,
          64L << 20,
          16 << 20,
          64,
          4 << 20,
          Duration.ofSeconds(10));

  /**
   * @throws IllegalArgumentException if a limit is out of range
   */
  public ConsensusSettings {
    if (electionTimeout.toMillis() < 100) {
      throw new IllegalArgumentException(
          "electionTimeout must be at least 100 ms, not " + electionTimeout.toMillis() + " ms");
    }
    if (Integer.bitCount(queuedProposals) != 1) {
      throw new IllegalArgumentException(
          "queuedProposals must be a power of two, not " + queuedProposals);
    }
    if (maxEntryBytes < 1 || maxUnappliedBytes < maxEntryBytes) {
      throw new IllegalArgumentException(
          "maxEntryBytes must be positive and maxUnappliedBytes at least as large, not %d and %d"
              .formatted(maxEntryBytes, maxUnappliedBytes));
    }
    if (proposalsPerAppend < 1 || maxAppendBytes < 1) {
      throw new IllegalArgumentException(
          "proposalsPerAppend and maxAppendBytes must be positive, not %d and %d"
              .formatted(proposalsPerAppend, maxAppendBytes));
    }
    if (closeTimeout.isNegative() || closeTimeout.isZero()) {
      throw new IllegalArgumentException(
          "closeTimeout must be above 0 ms, not " + closeTimeout.toMillis() + " ms");
    }
  }

  public ConsensusSettings withElectionTimeout(Duration timeout) {
    return new ConsensusSettings(
        log,
        timeout,
        queuedProposals,
        maxUnappliedBytes,
        maxEntryBytes,
        proposalsPerAppend,
        maxAppendBytes,
        closeTimeout);
  }

  public ConsensusSettings withLog(RaftLogSettings other) {
    return new ConsensusSettings(
        other,
        electionTimeout,
        queuedProposals,
        maxUnappliedBytes,
        maxEntryBytes,
        proposalsPerAppend,
        maxAppendBytes,
        closeTimeout);
  }

  public ConsensusSettings withCloseTimeout(Duration timeout) {
    return new ConsensusSettings(
        log,
        electionTimeout,
        queuedProposals,
        maxUnappliedBytes,
        maxEntryBytes,
        proposalsPerAppend,
        maxAppendBytes,
        timeout);
  }
}
