package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.common.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Opens and ends streams as other nodes join and leave. There is one stream for each incarnation of
 * each counted node; it exists until that incarnation or this node's own incarnation ends. Called
 * by the membership, by one thread at a time.
 */
public final class StreamLifecycle implements MembershipListener, AutoCloseable {
  private final NodeId self;
  private final NodeStreams streams;
  private final PeerCalls peers;
  private final Timers timers;
  private final NodesSettings settings;
  private final NodesObserver observer;

  // Guarded by this.
  private @Nullable StreamSender sender;
  private boolean closed;

  /**
   * @param timers the timers for resending batches and for overdue items
   */
  public StreamLifecycle(
      NodeId self,
      NodeStreams streams,
      PeerCalls peers,
      Timers timers,
      NodesSettings settings,
      NodesObserver observer) {
    this.self = self;
    this.streams = streams;
    this.peers = peers;
    this.timers = timers;
    this.settings = settings;
    this.observer = observer;
  }

  private record EndedStream(NodeStream stream, ItemOutcome outcome) {}

  @Override
  public void onMembersChanged(Members members) {
    List<EndedStream> endings;
    synchronized (this) {
      Member own = members.find(self);
      endings =
          closed || own == null || !own.isAlive()
              ? abandonAll()
              : updateStreams(members, own.incarnation());
    }
    endings.forEach(ending -> ending.stream.end(ending.outcome));
  }

  private List<EndedStream> updateStreams(Members members, long incarnation) {
    List<EndedStream> endings = new ArrayList<>();
    StreamSender current = sender;
    if (current == null || current.incarnation() != incarnation) {
      endings.addAll(abandonAll());
      current = new StreamSender(incarnation, peers, timers, settings, observer);
      sender = current;
    }
    Map<String, NodeStream> before = streams.byNode();
    Map<String, NodeStream> now = new HashMap<>();
    for (Member member : members.byNode().values()) {
      if (member.isCounted() && !member.node().equals(self)) {
        NodeStream present = before.get(member.node().value());
        now.put(
            member.node().value(),
            present != null && present.incarnation() == member.incarnation()
                ? present
                : new NodeStream(member.node(), member.incarnation(), current, settings));
      }
    }
    before.forEach(
        (node, stream) -> {
          if (now.get(node) != stream) {
            endings.add(new EndedStream(stream, ItemOutcome.INCARNATION_ENDED));
          }
        });
    streams.replace(now);
    return endings;
  }

  private List<EndedStream> abandonAll() {
    sender = null;
    List<EndedStream> endings = new ArrayList<>();
    streams.byNode().values().forEach(s -> endings.add(new EndedStream(s, ItemOutcome.ABANDONED)));
    streams.replace(Map.of());
    return endings;
  }

  /** Ends all streams; waiting items are no longer sent. */
  @Override
  public void close() {
    List<EndedStream> endings;
    synchronized (this) {
      closed = true;
      endings = abandonAll();
    }
    endings.forEach(ending -> ending.stream.end(ending.outcome));
  }
}
