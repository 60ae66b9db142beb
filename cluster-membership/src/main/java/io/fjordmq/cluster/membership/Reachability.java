package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which other live members this node can call. Two nodes can lose their connection to each
 * other while both still renew their leases. Each would then wait for the other forever, because
 * neither is marked DOWN. Therefore every node calls all live members at each heartbeat and reports
 * the unreachable ones to the metadata leader with its renewals ({@link ReachabilityReports}).
 *
 * <p>Runs on the membership thread, except {@link #unreachable} and responses.
 */
final class Reachability {
  private static final Logger LOG = LoggerFactory.getLogger(Reachability.class);

  private final NodeId self;
  private final MemberView members;
  private final PeerNetwork peers;
  private final MembershipSettings settings;
  private final Timers timers;
  private final Runnable onChange;
  private final Map<NodeId, Contact> contacts = new HashMap<>();
  private long lastHeartbeatMillis;
  private volatile Set<NodeId> unreachable = Set.of();

  private static final class Contact {
    /** False before the first response. */
    private volatile boolean responded;

    private volatile long respondedMillis;
  }

  /**
   * @param onChange called when a response has changed {@link #unreachable}
   */
  Reachability(
      NodeId self,
      MemberView members,
      PeerNetwork peers,
      MembershipSettings settings,
      Timers timers,
      Runnable onChange) {
    this.self = self;
    this.members = members;
    this.peers = peers;
    this.settings = settings;
    this.timers = timers;
    this.onChange = onChange;
    this.lastHeartbeatMillis = timers.nowMillis();
  }

  /**
   * Returns the members that have never responded to this process, or not for {@link
   * MembershipSettings#unreachableAfter}. They include nodes that are DOWN, although no node calls
   * these: when such a node is STARTING again, the leader must already know that this node cannot
   * reach it. Thread-safe.
   */
  Set<NodeId> unreachable() {
    return unreachable;
  }

  /** Must be called at each heartbeat; calls within one heartbeat of the last one do nothing. */
  void onHeartbeat() {
    long now = timers.nowMillis();
    if (now - lastHeartbeatMillis < settings.heartbeat().toMillis()) {
      return;
    }
    if (now - lastHeartbeatMillis > settings.lease().toMillis()) {
      resetSince(lastHeartbeatMillis, now);
    }
    lastHeartbeatMillis = now;
    liveNodes().forEach(this::call);
    refresh();
  }

  /**
   * Restarts the measurement if this process was suspended, because a missing response then does
   * not mean that a node is unreachable.
   */
  private void resetSince(long beforeMillis, long nowMillis) {
    for (Contact contact : contacts.values()) {
      if (isFresh(contact, beforeMillis)) {
        contact.respondedMillis = nowMillis;
      }
    }
  }

  /**
   * Must be called when the members have changed. Calls unreachable nodes at once, because a
   * STARTING node is counted only after it has been reached.
   */
  void onMembersChanged() {
    contacts.keySet().retainAll(members.members().byNode().keySet());
    refresh();
    liveNodes().stream().filter(unreachable::contains).forEach(this::call);
  }

  private List<NodeId> liveNodes() {
    return otherMembers().filter(Member::isAlive).map(Member::node).toList();
  }

  private Stream<Member> otherMembers() {
    return members.members().byNode().values().stream()
        .filter(member -> !member.node().equals(self));
  }

  /**
   * Calls the node without waiting for the response to the previous call, because a lost response
   * would delay the next call.
   */
  private void call(NodeId node) {
    Contact contact = contacts.computeIfAbsent(node, first -> new Contact());
    peers
        .call(node, LeaseExpiry.SERVICE, LeaseExpiry.encodeProbe(), settings.lease())
        .whenComplete((response, failure) -> onResponse(node, contact, failure));
  }

  /**
   * Runs on any thread. Wakes the membership thread only if the node was unreachable. If that
   * thread is just about to report the node as unreachable, the next heartbeat corrects the report.
   */
  private void onResponse(NodeId node, Contact contact, @Nullable Throwable failure) {
    if (failure != null && !isResponse(failure)) {
      return;
    }
    contact.respondedMillis = timers.nowMillis();
    contact.responded = true;
    if (unreachable.contains(node)) {
      timers.execute(this::onReachable);
    }
  }

  private void onReachable() {
    refresh();
    onChange.run();
  }

  /** Returns whether the failure is a response: a node that refuses a call has been reached. */
  private static boolean isResponse(Throwable failure) {
    return OperationException.isAny(failure, PeerException.Kind.REFUSED);
  }

  private void refresh() {
    long now = timers.nowMillis();
    final Set<NodeId> before = unreachable;
    unreachable =
        otherMembers()
            .map(Member::node)
            .filter(node -> !isFresh(contacts.get(node), now))
            .collect(Collectors.toUnmodifiableSet());
    for (NodeId node : liveNodes()) {
      Contact contact = contacts.get(node);
      boolean isNew = unreachable.contains(node) && !before.contains(node);
      if (isNew && contact != null && contact.responded) {
        LOG.warn(
            "Live node does not respond node={} unresponsiveMs={}",
            node,
            settings.unreachableAfter().toMillis());
      }
    }
  }

  private boolean isFresh(@Nullable Contact contact, long nowMillis) {
    return contact != null
        && contact.responded
        && nowMillis - contact.respondedMillis < settings.unreachableAfter().toMillis();
  }
}
