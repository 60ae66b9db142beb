package io.fjordmq.broker.net;

import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientIdBinding;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.sim.FollowedStore;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.RouterSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Several nodes in one process: the real pipeline, sessions, delivery, streams and stores of each.
 * The first leads all ranges; the others follow those of routes. Nothing runs by itself: {@link
 * #settle} runs everything until all is quiet; time passes with {@link #pass}.
 */
final class TestCluster implements AutoCloseable {
  final LoopbackPeers peers = LoopbackPeers.immediate();
  final StoreTasks tasks = new StoreTasks();
  final FollowedStore routes;
  final InboxReplicas inboxReplicas;
  final RangedRetainStore.Replicas retained = new RangedRetainStore.Replicas();
  final LocalRanges ranges;
  final NodesSettings nodes;
  final DeliverySettings delivery;
  final boolean waits;
  final Security security;
  final ClientIdBinding binding;
  private final ProcessListener listener = new ProcessListener();
  private final List<TestNode> all = new ArrayList<>();

  TestCluster(int size) {
    this(size, NodesSettings.DEFAULTS, DeliverySettings.DEFAULTS);
  }

  TestCluster(int size, NodesSettings nodes, DeliverySettings delivery) {
    this(size, nodes, delivery, true);
  }

  TestCluster(int size, Security security) {
    this(size, security, ClientIdBinding.NONE);
  }

  TestCluster(int size, Security security, ClientIdBinding binding) {
    this(size, NodesSettings.DEFAULTS, DeliverySettings.DEFAULTS, true, security, binding);
  }

  /**
   * @param waits false for the defect that routes count as soon as they are committed
   */
  TestCluster(int size, NodesSettings nodes, DeliverySettings delivery, boolean waits) {
    this(size, nodes, delivery, waits, Security.allowAll("t"), ClientIdBinding.NONE);
  }

  private TestCluster(
      int size,
      NodesSettings nodes,
      DeliverySettings delivery,
      boolean waits,
      Security security,
      ClientIdBinding binding) {
    this.security = security;
    this.binding = binding;
    this.waits = waits;
    this.nodes = nodes;
    this.delivery = delivery;
    List<RangedRouter.Replicas> replicas = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      replicas.add(new RangedRouter.Replicas(RouterSettings.DEFAULTS));
    }
    inboxReplicas = new InboxReplicas(InboxSettings.DEFAULT, listener, InboxObserver.NONE);
    routes =
        new FollowedStore(
            RangedRouter.spec(RouterSettings.DEFAULTS, replicas.get(0)),
            replicas.subList(1, size).stream()
                .map(its -> RangedRouter.spec(RouterSettings.DEFAULTS, its))
                .toList());
    ranges =
        LocalRanges.of(
            routes.spec(),
            inboxReplicas.spec(),
            RangedRetainStore.spec(RetainSettings.DEFAULTS, retained));
    for (int i = 0; i < size; i++) {
      all.add(new TestNode(this, new NodeId("n" + i), replicas.get(i)));
    }
    listener.of(all.get(0).events);
    all.forEach(node -> all.forEach(other -> node.membership.setUp(other.id, other.incarnation())));
  }

  TestNode node(int index) {
    return all.get(index);
  }

  RangeClient client(String store) {
    return new DeferredClient(ranges.client(store), tasks);
  }

  /** The range of routes is applied by this node no more; not by the first. */
  void lag(int node) {
    routes.hold(node - 1);
  }

  void catchUp(int node) {
    routes.release(node - 1);
    settle();
  }

  /** Nothing passes between the two. */
  void cut(int one, int other) {
    peers.cut(node(one).id, node(other).id);
    peers.cut(node(other).id, node(one).id);
  }

  void heal() {
    peers.heal();
    pass(Duration.ofSeconds(1));
  }

  /** All others count the life of the node as over; the node itself does not know yet. */
  void down(int node) {
    for (TestNode other : all) {
      if (other != node(node)) {
        other.membership.setState(node(node).id, Member.State.DOWN);
      }
    }
    settle();
  }

  void pass(Duration time) {
    for (Duration left = time; left.toMillis() > 0; left = left.minusMillis(100)) {
      ranges.advance(Duration.ofMillis(100));
      settle();
    }
  }

  void settle() {
    boolean any = true;
    while (any) {
      any = tasks.run();
      for (TestNode node : all) {
        any |= node.run();
      }
    }
  }

  @Override
  public void close() {
    tasks.resume();
    peers.heal();
    all.forEach(TestNode::cutClients);
    settle();
    all.forEach(TestNode::close);
    ranges.close();
  }
}
