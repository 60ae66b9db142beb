package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
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
 * knows, or starts from the median of what the nodes report. It then corrects cluster time very
 * slowly towards the median wall clock. Of two median values the earlier one counts, because
 * expiring late is better than expiring early.
 */
final class ClockVotes {
  private static final Logger LOG = LoggerFactory.getLogger(ClockVotes.class);

  /** Cluster time is corrected by at most one millisecond in this many: 500 ppm. */
  static final long MILLIS_FOR_ONE = 2_000;

  private final ClusterClock clock;
  private final long patienceMillis;
  private final long startedMillis;
  private final Map<NodeId, Vote> votes = new HashMap<>();
  private long correctedMillis;

  private record Vote(ClockReport report, long receivedMillis) {}

  /**
   * @param patienceMillis how long a report counts, and how long to wait for the reports of all
   *     voters
   */
  ClockVotes(ClusterClock clock, long patienceMillis, long nowMillis) {
    this.clock = clock;
    this.patienceMillis = patienceMillis;
    this.startedMillis = nowMillis;
    this.correctedMillis = nowMillis;
  }

  void onReport(NodeId from, ClockReport report, long nowMillis) {
    votes.put(from, new Vote(report, nowMillis));
  }

  /**
   * Sets cluster time if it is not known yet and there are enough reports; returns whether it is
   * known. Reports of nodes that know cluster time suffice. Otherwise cluster time starts at the
   * median of all reports, once all voters of the metadata have reported, or a majority of them
   * within {@code patienceMillis}. Fewer are not enough: other nodes may know cluster time without
   * having reported yet, and the clock of this node may be wrong.
   */
  boolean decide(Set<NodeId> voters, long nowMillis) {
    if (clock.isKnown()) {
      return true;
    }
    List<Vote> knowing = votes.values().stream().filter(vote -> vote.report().known()).toList();
    boolean waitedLongEnough = nowMillis - startedMillis >= patienceMillis;
    long reporting = voters.stream().filter(votes::containsKey).count();
    boolean enough =
        !votes.isEmpty()
            && (reporting == voters.size() || (waitedLongEnough && 2 * reporting > voters.size()));
    if (knowing.isEmpty() && !enough) {
      return false;
    }
    Collection<Vote> counting = knowing.isEmpty() ? votes.values() : knowing;
    clock.begin(
        median(
            counting, vote -> vote.report().clusterMillis() + nowMillis - vote.receivedMillis()));
    LOG.info(
        "Set cluster time from the clocks of the nodes nodes={} thatKnewIt={} time={}",
        votes.size(),
        knowing.size(),
        clock.instant());
    return true;
  }

  /** Must be called periodically while this node leads and cluster time is known. */
  void correct(long nowMillis) {
    if (nowMillis - correctedMillis < MILLIS_FOR_ONE) {
      if (!clock.isSteady()) {
        clock.advance(0);
      }
      return;
    }
    correctedMillis = nowMillis;
    votes.values().removeIf(vote -> nowMillis - vote.receivedMillis() > patienceMillis);
    if (votes.isEmpty()) {
      clock.advance(0);
      return;
    }
    long target =
        median(
            votes.values(), vote -> vote.report().wallMillis() + nowMillis - vote.receivedMillis());
    clock.advance(Long.signum(target - clock.millis()));
  }

  private static long median(Collection<Vote> votes, ToLongFunction<Vote> time) {
    long[] sorted = votes.stream().mapToLong(time).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }
}
