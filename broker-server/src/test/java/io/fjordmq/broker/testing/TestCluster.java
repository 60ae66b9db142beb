package io.fjordmq.broker.testing;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.sim.FollowedStore;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Several nodes in one process: the real pipeline, sessions, delivery, streams and stores of each.
 * The first leads all ranges; the others follow the route ranges. Nothing runs by itself: {@link
 * #settle} runs everything until all nodes are idle; {@link #advanceTime} advances time.
 */
public final class TestCluster implements AutoCloseable {
  public final LoopbackPeers peers = LoopbackPeers.immediate();
  public final StoreTasks tasks = new StoreTasks();

  /** Changes of retained messages. */
  public final StoreTasks retainedChanges = new StoreTasks();

  final FollowedStore routes;
  final InboxReplicas inboxReplicas;
  final RetainReplicas retained = new RetainReplicas(RetainSettings.DEFAULTS);
  public final LocalRanges ranges;
  final NodesSettings nodes;
  final DeliverySettings delivery;
  final boolean awaitsRoutes;
  final Security security;
  final ClientIdBinding binding;
  private final ProcessListener listener = new ProcessListener();
  private final List<TestNode> testNodes = new ArrayList<>();

  public TestCluster(int size) {
    this(size, NodesSettings.DEFAULTS, DeliverySettings.DEFAULTS);
  }

  public TestCluster(int size, NodesSettings nodes, DeliverySettings delivery) {
    this(size, nodes, delivery, true);
  }

  public TestCluster(int size, Security security) {
    this(size, security, ClientIdBinding.NONE);
  }

  public TestCluster(int size, Security security, ClientIdBinding binding) {
    this(size, NodesSettings.DEFAULTS, DeliverySettings.DEFAULTS, true, security, binding);
  }

  /**
   * @param waits false for the defect that routes count as soon as they are committed
   */
  public TestCluster(int size, NodesSettings nodes, DeliverySettings delivery, boolean waits) {
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
    this.awaitsRoutes = waits;
    this.nodes = nodes;
    this.delivery = delivery;
    List<RouteReplicas> replicas = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      replicas.add(new RouteReplicas(RouteSettings.DEFAULTS));
    }
    inboxReplicas = new InboxReplicas(InboxSettings.DEFAULT, listener, InboxObserver.NONE);
    routes =
        new FollowedStore(
            replicas.get(0).spec(),
            replicas.subList(1, size).stream().map(RouteReplicas::spec).toList());
    ranges = LocalRanges.of(routes.spec(), inboxReplicas.spec(), retained.spec());
    for (int i = 0; i < size; i++) {
      testNodes.add(new TestNode(this, new NodeId("n" + i), replicas.get(i)));
    }
    listener.setTarget(testNodes.get(0).inboxEvents);
    testNodes.forEach(
        node -> testNodes.forEach(other -> node.membership.setUp(other.id, other.incarnation())));
  }

  /** The number of nodes. */
  public int size() {
    return testNodes.size();
  }

  public TestNode node(int index) {
    return testNodes.get(index);
  }

  public RangeClient client(String store) {
    StoreTasks commands = store.equals(RetainReplicas.STORE) ? retainedChanges : tasks;
    return new DeferredClient(ranges.client(store), commands, tasks);
  }

  /** This node stops applying the route range; not supported for the first node. */
  public void pauseRouteApply(int node) {
    routes.hold(node - 1);
  }

  public void resumeRouteApply(int node) {
    routes.release(node - 1);
    settle();
  }

  /** Cuts the connection between two nodes. */
  public void cut(int one, int other) {
    peers.cut(node(one).id, node(other).id);
    peers.cut(node(other).id, node(one).id);
  }

  public void heal() {
    peers.heal();
    advanceTime(Duration.ofSeconds(1));
  }

  /** All other nodes mark the node's incarnation as ended; the node itself does not know yet. */
  public void markDown(int node) {
    for (TestNode other : testNodes) {
      if (other != node(node)) {
        other.membership.setState(node(node).id, Member.State.DOWN);
      }
    }
    settle();
  }

  /** The node registers its next incarnation and is admitted. */
  public void beginNextIncarnation(int node) {
    TestNode next = node(node);
    next.membership.beginIncarnation().join();
    testNodes.forEach(other -> other.membership.setUp(next.id, next.incarnation()));
  }

  public void advanceTime(Duration time) {
    for (Duration left = time; left.toMillis() > 0; left = left.minusMillis(100)) {
      ranges.advance(Duration.ofMillis(100));
      settle();
    }
  }

  public void settle() {
    boolean any = true;
    while (any) {
      any = tasks.run() | retainedChanges.run();
      for (TestNode node : testNodes) {
        any |= node.run();
      }
    }
  }

  @Override
  public void close() {
    tasks.resume();
    retainedChanges.resume();
    peers.heal();
    testNodes.forEach(TestNode::cutClients);
    settle();
    testNodes.forEach(TestNode::close);
    ranges.close();
  }
}
