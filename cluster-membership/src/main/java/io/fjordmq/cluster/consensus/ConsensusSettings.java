package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * Limits and timeouts of a node's Raft groups.
 *
 * @param log settings of the shared log database
 * @param electionTimeout how long a follower waits for its leader before it starts an election; a
 *     leader sends ten heartbeats in this time. A group whose only voter is this node elects it
 *     immediately
 * @param queuedProposals maximum number of outstanding proposals of one group, a power of two;
 *     further ones fail with {@code BUSY}
 * @param maxUnappliedBytes maximum size of one group's entries in memory that are not yet on disk
 *     or not yet applied; further ones fail with {@code BUSY}
 * @param maxEntryBytes maximum size of one entry; a larger one is a programming error
 * @param proposalsPerAppend maximum number of entries of one group that are queued for the disk
 *     together
 * @param maxAppendBytes maximum size of one group's entries that are written and synced together
 */
public record ConsensusSettings(
    LogSettings log,
    Duration electionTimeout,
    int queuedProposals,
    long maxUnappliedBytes,
    int maxEntryBytes,
    int proposalsPerAppend,
    int maxAppendBytes) {

  /** Election timeout 1 s, 1,024 proposals or 64 MiB pending, entries up to 16 MiB. */
  public static final ConsensusSettings DEFAULT =
      new ConsensusSettings(
          LogSettings.DEFAULT, Duration.ofSeconds(1), 1024, 64L << 20, 16 << 20, 64, 4 << 20);

  /**
   * @throws IllegalArgumentException if a limit is out of range
   */
  public ConsensusSettings {
    if (electionTimeout.toMillis() < 100) {
      throw new IllegalArgumentException(
          "electionTimeout must be at least 100 ms: " + electionTimeout);
    }
    if (Integer.bitCount(queuedProposals) != 1) {
      throw new IllegalArgumentException(
          "queuedProposals must be a power of two: " + queuedProposals);
    }
    if (maxEntryBytes < 1 || maxUnappliedBytes < maxEntryBytes) {
      throw new IllegalArgumentException("maxUnappliedBytes must be at least maxEntryBytes");
    }
    if (proposalsPerAppend < 1 || maxAppendBytes < 1) {
      throw new IllegalArgumentException("proposalsPerAppend and maxAppendBytes must be positive");
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
        maxAppendBytes);
  }

  public ConsensusSettings withLog(LogSettings other) {
    return new ConsensusSettings(
        other,
        electionTimeout,
        queuedProposals,
        maxUnappliedBytes,
        maxEntryBytes,
        proposalsPerAppend,
        maxAppendBytes);
  }
}
