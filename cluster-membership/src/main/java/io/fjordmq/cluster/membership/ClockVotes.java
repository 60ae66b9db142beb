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
 * How the leader of the metadata keeps cluster time, in one term: it goes on with the time it had,
 * or else begins with what most nodes say, and then leans very slowly towards the wall clock in the
 * middle. Of two in the middle the earlier counts: to expire late is better than early.
 */
final class ClockVotes {
  private static final Logger LOG = LoggerFactory.getLogger(ClockVotes.class);

  /** A millisecond in so many is the most that cluster time is corrected by: 500 ppm. */
  static final long MILLIS_FOR_ONE = 2_000;

  private final ClusterClock clock;
  private final long patienceMillis;
  private final long begunMillis;
  private final Map<NodeId, Vote> votes = new HashMap<>();
  private long correctedMillis;

  private record Vote(ClockReport report, long heardMillis) {}

  /**
   * @param patienceMillis for how long a node's word counts, and for how long all are waited for
   */
  ClockVotes(ClusterClock clock, long patienceMillis, long nowMillis) {
    this.clock = clock;
    this.patienceMillis = patienceMillis;
    this.begunMillis = nowMillis;
    this.correctedMillis = nowMillis;
  }

  void onReport(NodeId from, ClockReport report, long nowMillis) {
    votes.put(from, new Vote(report, nowMillis));
  }

  /**
   * Whether there is a cluster time; there may be from now on: what a node says that knows it, else
   * the middle of what all voters of the metadata say, or of what was said within the patience if
   * that includes most of them. The word of fewer is not enough: others may know the time and not
   * have been heard, and this node may have started with a wrong clock.
   */
  boolean decide(Set<NodeId> voters, long nowMillis) {
    if (clock.isKnown()) {
      return true;
    }
    List<Vote> knowing = votes.values().stream().filter(vote -> vote.report().known()).toList();
    boolean waitedLongEnough = nowMillis - begunMillis >= patienceMillis;
    long heard = voters.stream().filter(votes::containsKey).count();
    boolean enough =
        !votes.isEmpty()
            && (heard == voters.size() || (waitedLongEnough && 2 * heard > voters.size()));
    if (knowing.isEmpty() && !enough) {
      return false;
    }
    Collection<Vote> count = knowing.isEmpty() ? votes.values() : knowing;
    clock.begin(
        middle(count, vote -> vote.report().clusterMillis() + nowMillis - vote.heardMillis()));
    LOG.info(
        "Set cluster time from the clocks of the nodes nodes={} thatKnewIt={} time={}",
        votes.size(),
        knowing.size(),
        clock.instant());
    return true;
  }

  /** To be called again and again while this node leads and cluster time is known. */
  void correct(long nowMillis) {
    if (nowMillis - correctedMillis < MILLIS_FOR_ONE) {
      if (!clock.isSteady()) {
        clock.carryOn(0);
      }
      return;
    }
    correctedMillis = nowMillis;
    votes.values().removeIf(vote -> nowMillis - vote.heardMillis() > patienceMillis);
    if (votes.isEmpty()) {
      clock.carryOn(0);
      return;
    }
    long target =
        middle(votes.values(), vote -> vote.report().wallMillis() + nowMillis - vote.heardMillis());
    clock.carryOn(Long.signum(target - clock.millis()));
  }

  private static long middle(Collection<Vote> votes, ToLongFunction<Vote> time) {
    long[] sorted = votes.stream().mapToLong(time).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }
}
