package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * What the Raft groups of a node may use, and how patient they are.
 *
 * @param log the shared log database
 * @param electionTimeout how long a follower waits for its leader before it stands for election; a
 *     leader sends heartbeats ten times as often. A group whose only voter is this node elects at
 *     once
 * @param queuedProposals proposals of one group that may be outstanding, a power of two; more are
 *     refused as {@code BUSY}
 * @param maxUnappliedBytes bytes of one group's entries that may be in memory because they are not
 *     yet on disk or not yet applied; more are refused as {@code BUSY}
 * @param maxEntryBytes size of one entry; a larger one is a programming error
 * @param proposalsPerAppend entries of one group that are queued for the disk together
 * @param maxAppendBytes bytes of one group written and synced together
 */
public record ConsensusSettings(
    LogSettings log,
    Duration electionTimeout,
    int queuedProposals,
    long maxUnappliedBytes,
    int maxEntryBytes,
    int proposalsPerAppend,
    int maxAppendBytes) {

  /** Election after 2 s, 1,024 proposals or 64 MiB waiting, entries up to 16 MiB. */
  public static final ConsensusSettings DEFAULT =
      new ConsensusSettings(
          LogSettings.DEFAULT, Duration.ofSeconds(1), 1024, 64L << 20, 16 << 20, 64, 4 << 20);

  /**
   * @throws IllegalArgumentException if a bound makes no sense
   */
  public ConsensusSettings {
    if (electionTimeout.toMillis() < 100) {
      throw new IllegalArgumentException("electionTimeout must be at least 100 ms");
    }
    if (Integer.bitCount(queuedProposals) != 1) {
      throw new IllegalArgumentException("queuedProposals must be a power of two");
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
