package io.fjordmq.broker.query;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.common.Deadlines;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The nodes to query: all that are alive. Nodes that are DOWN have no clients.
 *
 * @param clients the clients of this node
 * @param subscriptions the subscriptions of this node's clients
 * @param deadlines limits the time of calls
 */
record QueryNodes(
    Membership membership,
    PeerCalls peers,
    NodeClients clients,
    NodeSubscriptions subscriptions,
    Deadlines deadlines) {
  /** Time allowed for a node, or for a range of a store, to respond. */
  static final Duration READ_TIMEOUT = Duration.ofSeconds(1);

  /** Time allowed for a change, which waits until it is durable. */
  static final Duration ACT_TIMEOUT = Duration.ofSeconds(5);

  /** Time allowed for one page. */
  private static final Duration PAGE_TIME = Duration.ofSeconds(2);

  /** A node to query. */
  record Node(NodeId id, NodeClients clients, NodeSubscriptions subscriptions) {
    String name() {
      return id.value();
    }
  }

  /** Returns the call with a deadline, after which it fails. */
  static <T> CompletableFuture<T> inTime(CompletableFuture<T> call) {
    return call.orTimeout(READ_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns a call that reads with a deadline, after which it fails. For frequent calls. */
  <T> CompletableFuture<T> read(CompletableFuture<T> call) {
    return deadlines.limit(call, READ_TIMEOUT);
  }

  /** Starts the timer for one page; it returns true once the time is up. */
  static BooleanSupplier pageTimer() {
    return timer(PAGE_TIME);
  }

  /** Starts the timer for a change of many objects; it returns true once the time is up. */
  static BooleanSupplier actTimer() {
    return timer(ACT_TIMEOUT);
  }

  private static BooleanSupplier timer(Duration time) {
    long start = System.nanoTime();
    return () -> System.nanoTime() - start > time.toNanos();
  }

  /** Returns the nodes that are alive, sorted by name. */
  List<Node> alive() {
    return membership.members().alive().stream()
        .sorted(Comparator.comparing(NodeId::value))
        .map(this::node)
        .toList();
  }

  private Node node(NodeId id) {
    return id.equals(membership.self())
        ? new Node(id, clients, subscriptions)
        : new Node(
            id,
            new RemoteClients(peers, id, READ_TIMEOUT, ACT_TIMEOUT),
            new RemoteSubscriptions(peers, id));
  }
}
