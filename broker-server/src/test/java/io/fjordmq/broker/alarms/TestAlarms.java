package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The alarms of the nodes n0, n1, … of a cluster, in simulated time. */
public final class TestAlarms {
  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final List<AlarmTracker> trackers = new ArrayList<>();
  private final List<AlarmQueries> queries = new ArrayList<>();
  private Instant now = START;

  public TestAlarms(int size) {
    for (int i = 0; i < size; i++) {
      TestMembership membership = new TestMembership(id(i));
      for (int other = 0; other < size; other++) {
        membership.setUp(id(other), 1);
      }
      AlarmTracker tracker = new AlarmTracker(AlarmSettings.DEFAULTS, AlarmObserver.NONE);
      trackers.add(tracker);
      queries.add(AlarmQueries.start(tracker, membership, peers.start(id(i)), () -> now));
    }
  }

  private static NodeId id(int node) {
    return new NodeId("n" + node);
  }

  public AlarmQueries queries(int node) {
    return queries.get(node);
  }

  public void advance(Duration time) {
    now = now.plus(time);
  }

  /** The conditions of a node from now on: one of each kind, about this subject. */
  public void check(int node, String subject, AlarmKind... kinds) {
    trackers
        .get(node)
        .update(
            now,
            List.of(kinds).stream()
                .map(kind -> AlarmCondition.of(kind, subject, "About " + subject, "of", subject))
                .toList());
  }

  /** Cuts the connection between two nodes. */
  public void cut(int one, int other) {
    peers.cut(id(one), id(other));
    peers.cut(id(other), id(one));
  }
}
