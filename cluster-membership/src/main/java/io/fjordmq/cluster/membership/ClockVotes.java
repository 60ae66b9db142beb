package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.membership.ClockReport.Source;
import io.fjordmq.cluster.membership.LeaderResponse.ClockAccepted;
import io.fjordmq.cluster.membership.LeaderResponse.Failed;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cluster time at the metadata leader, during one term. The leader continues the cluster time it
 * knows, or starts from what the nodes report (decision 0037). It then corrects cluster time very
 * slowly towards the median wall clock. The median of an even number of values is the earlier of
 * the middle two, because expiring late is better than expiring early.
 */
final class ClockVotes {
  private static final Logger LOG = LoggerFactory.getLogger(ClockVotes.class);

  /** Cluster time is corrected by at most 1 ms per this many milliseconds: 500 ppm. */
  static final long MILLIS_PER_CORRECTION = 2_000;

  private final ClusterClock clock;
  private final long reportTimeoutMillis;
  private final long startedMillis;
  private final Map<NodeId, Vote> votes = new HashMap<>();
  private long correctedMillis;

  private record Vote(ClockReport report, long receivedMillis) {
    /** Returns one of the clock readings of this report, advanced by the age of the report. */
    long valueAt(long nowMillis, long clockMillis) {
      return clockMillis + nowMillis - receivedMillis;
    }
  }

  /**
   * @param reportTimeoutMillis validity of a report, and maximum wait for the reports of all voters
   */
  ClockVotes(ClusterClock clock, long reportTimeoutMillis, long nowMillis) {
    this.clock = clock;
    this.reportTimeoutMillis = reportTimeoutMillis;
    this.startedMillis = nowMillis;
    this.correctedMillis = nowMillis;
  }

  void onReport(NodeId from, ClockReport report, long nowMillis) {
    votes.put(from, new Vote(report, nowMillis));
  }

  /**
   * Sets cluster time if it is not known yet and there are enough reports; returns whether it is
   * known. One report of a node that knows cluster time suffices. Otherwise cluster time starts at
   * the median of all reports, but not far ahead of the saved time, once all voters of the metadata
   * group have reported, or a majority of them within {@code reportTimeoutMillis}. Fewer are not
   * enough: other nodes may know cluster time without having reported yet, and the clock of this
   * node may be wrong.
   */
  boolean decide(Set<NodeId> voters, long nowMillis) {
    if (clock.isKnown()) {
      return true;
    }
    List<Vote> withClusterTime =
        votes.values().stream().filter(vote -> vote.report().isKnown()).toList();
    boolean waitedLongEnough = nowMillis - startedMillis >= reportTimeoutMillis;
    long reportedVoters = voters.stream().filter(votes::containsKey).count();
    boolean enough =
        !votes.isEmpty()
            && (reportedVoters == voters.size()
                || (waitedLongEnough && 2 * reportedVoters > voters.size()));
    if (withClusterTime.isEmpty() && !enough) {
      return false;
    }
    clock.setClusterTime(
        withClusterTime.isEmpty()
            ? startTime(nowMillis)
            : median(
                withClusterTime, vote -> vote.valueAt(nowMillis, vote.report().clusterMillis())));
    LOG.info(
        "Set cluster time from the reported clocks reports={} withClusterTime={} time={}",
        votes.size(),
        withClusterTime.size(),
        clock.instant());
    return true;
  }

  /**
   * Returns the time to start from if no node knows cluster time. Wall clocks that are far ahead of
   * all saved times are either wrong, or right after a long stop. Only the operator knows which, so
   * this method returns the saved time: expiring late is safe, expiring early is not.
   */
  private long startTime(long nowMillis) {
    long wall =
        median(votes.values(), vote -> vote.valueAt(nowMillis, vote.report().estimatedMillis()));
    long saved =
        votes.values().stream()
            .filter(vote -> vote.report().source() == Source.SAVED)
            .mapToLong(vote -> vote.valueAt(nowMillis, vote.report().clusterMillis()))
            .max()
            .orElse(wall);
    if (wall - saved <= clock.maxAdvanceMillis()) {
      return wall;
    }
    LOG.warn(
        "The wall clocks are ahead of the saved cluster time by more than "
            + "membershipConfig.maxClockAdvance; continuing from the saved time; correct the "
            + "clocks or, if they are right, run 'bin/standalone.sh accept-clock' saved={} "
            + "wallClock={} aheadSeconds={}",
        Instant.ofEpochMilli(saved),
        Instant.ofEpochMilli(wall),
        (wall - saved) / 1_000);
    return saved;
  }

  /**
   * Sets cluster time to the median wall clock, which an operator has confirmed to be right. Never
   * sets it back, because commands already carry the later time.
   */
  LeaderResponse acceptWallClock(Set<NodeId> voters, long nowMillis) {
    votes.values().removeIf(vote -> nowMillis - vote.receivedMillis() > reportTimeoutMillis);
    long reportedVoters = voters.stream().filter(votes::containsKey).count();
    if (!clock.isKnown() || 2 * reportedVoters <= voters.size()) {
      return new Failed(Kind.BUSY, "too few nodes have reported their clocks; try again");
    }
    long before = clock.millis();
    long ahead = medianWallClock(nowMillis) - before;
    if (ahead <= clock.toleranceMillis()) {
      String reason = "the wall clocks of the nodes are not ahead of cluster time";
      return new Failed(Kind.BUSY, reason);
    }
    clock.advance(ahead);
    LOG.warn(
        "Operator accepted the wall clocks; advancing cluster time from={} to={}",
        Instant.ofEpochMilli(before),
        clock.instant());
    return new ClockAccepted(ahead);
  }

  private long medianWallClock(long nowMillis) {
    return median(votes.values(), vote -> vote.valueAt(nowMillis, vote.report().wallMillis()));
  }

  /** Must be called periodically while this node leads and cluster time is known. */
  void correct(long nowMillis) {
    if (nowMillis - correctedMillis < MILLIS_PER_CORRECTION) {
      if (!clock.isSteady()) {
        clock.advance(0);
      }
      return;
    }
    correctedMillis = nowMillis;
    votes.values().removeIf(vote -> nowMillis - vote.receivedMillis() > reportTimeoutMillis);
    if (votes.isEmpty()) {
      clock.advance(0);
      return;
    }
    clock.advance(Long.signum(medianWallClock(nowMillis) - clock.millis()));
  }

  private static long median(Collection<Vote> votes, ToLongFunction<Vote> time) {
    long[] sorted = votes.stream().mapToLong(time).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }
}
