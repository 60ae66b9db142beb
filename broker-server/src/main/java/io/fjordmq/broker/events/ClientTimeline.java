package io.fjordmq.broker.events;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of a client on all nodes that responded.
 *
 * @param events oldest first
 * @param problems the nodes that did not respond, and why
 */
public record ClientTimeline(List<NodeEvent> events, List<String> problems) {
  /**
   * An event on a node.
   *
   * @param node the node that recorded the event
   */
  public record NodeEvent(String node, RecordedEvent recorded) {}

  /**
   * Maximum difference between the times of a takeover and of the connection that caused it, which
   * different nodes record.
   */
  private static final long TAKEOVER_MILLIS = 10_000;

  public ClientTimeline {
    events = List.copyOf(events);
    problems = List.copyOf(problems);
  }

  /** Merges the events of several nodes, in any order. */
  static ClientTimeline of(List<NodeEvent> events, List<String> problems) {
    List<NodeEvent> merged = new ArrayList<>(events.size());
    events.forEach(event -> merged.add(withSuccessor(event, events)));
    merged.sort(Comparator.comparingLong(event -> event.recorded.atMillis()));
    return new ClientTimeline(merged, problems);
  }

  /**
   * Adds the newer connection to a takeover by another node. The node that lost the session does
   * not know the connection, but the other node has recorded it.
   */
  private static NodeEvent withSuccessor(NodeEvent event, List<NodeEvent> all) {
    if (!(event.recorded.event() instanceof TakenOver lost) || !lost.byNode().isEmpty()) {
      return event;
    }
    NodeEvent found = successor(event, all);
    if (found == null || !(found.recorded.event() instanceof Connected connected)) {
      return event;
    }
    RecordedEvent recorded = event.recorded;
    return new NodeEvent(
        event.node,
        new RecordedEvent(
            recorded.tenant(),
            recorded.atMillis(),
            recorded.firstAtMillis(),
            recorded.count(),
            new TakenOver(found.node, connected.address(), lost.lastPacket())));
  }

  private static @Nullable NodeEvent successor(NodeEvent takeover, List<NodeEvent> all) {
    String tenant = String.valueOf(takeover.recorded.tenant());
    return all.stream()
        .filter(other -> other.recorded.event() instanceof Connected)
        .filter(other -> !other.node.equals(takeover.node))
        .filter(other -> tenant.equals(other.recorded.tenant()))
        .filter(other -> distance(takeover, other) <= TAKEOVER_MILLIS)
        .min(Comparator.comparingLong(other -> distance(takeover, other)))
        .orElse(null);
  }

  private static long distance(NodeEvent one, NodeEvent other) {
    return Math.abs(one.recorded.atMillis() - other.recorded.atMillis());
  }
}
