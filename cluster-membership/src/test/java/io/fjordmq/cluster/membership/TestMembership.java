package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A membership that the test controls. Listeners are called on the thread of the test; each change
 * of the members is one version. Serves from the start, alone, in incarnation 1.
 */
public final class TestMembership implements Membership {
  private static final int PORT = 8899;

  private final NodeId self;
  private final List<MembershipListener> listeners = new CopyOnWriteArrayList<>();
  private Function<List<Change>, CompletableFuture<WriteResult>> writes =
      batch ->
          CompletableFuture.failedFuture(
              new ConsensusException(
                  ConsensusException.Kind.NOT_LEADER, "this test has no metadata"));
  private volatile Members members;
  private volatile long incarnation = 1;
  private volatile @Nullable String notServing;

  public TestMembership(NodeId self) {
    this.self = self;
    this.members = new Members(1, Map.of(self, up(self, 1)));
  }

  /** Creates a member that is UP. */
  public static Member up(NodeId node, long incarnation) {
    return new Member(node, new NodeAddress(node.value(), PORT), incarnation, Member.State.UP);
  }

  @Override
  public NodeId self() {
    return self;
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public Members members() {
    return members;
  }

  @Override
  public void watch(MembershipListener listener) {
    listeners.add(listener);
    listener.onMembersChanged(members);
  }

  @Override
  public boolean isServing() {
    return notServing == null;
  }

  @Override
  public @Nullable String notServingReason() {
    return notServing;
  }

  @Override
  public CompletableFuture<WriteResult> write(List<Change> batch) {
    return writes.apply(batch);
  }

  // ---- controls

  /** Sets the outcome of writes from now on; they fail until this is called. */
  public void setWriteHandler(Function<List<Change>, CompletableFuture<WriteResult>> handler) {
    writes = handler;
  }

  /** Adds or replaces the member. */
  public void set(Member member) {
    Map<NodeId, Member> next = new HashMap<>(members.byNode());
    next.put(member.node(), member);
    replace(new Members(members.version() + 1, next, members.removed()));
  }

  /** Sets the node to UP in this incarnation. */
  public void setUp(NodeId node, long inIncarnation) {
    set(up(node, inIncarnation));
  }

  /** Sets the state of the current incarnation of the node. */
  public void setState(NodeId node, Member.State state) {
    Member member = members.byNode().get(node);
    if (member == null) {
      throw new IllegalArgumentException(node + " is not a member");
    }
    set(new Member(node, member.address(), member.incarnation(), state));
  }

  /** Removes the node from the members. */
  public void remove(NodeId node) {
    remove(node, members.version() + 1);
  }

  /** Like {@link #remove(NodeId)}, at a given version of the metadata. */
  public void remove(NodeId node, long asOf) {
    Map<NodeId, Member> next = new HashMap<>(members.byNode());
    next.remove(node);
    Map<NodeId, Long> removed = new HashMap<>(members.removed());
    removed.put(node, asOf);
    replace(new Members(members.version() + 1, next, removed));
  }

  private void replace(Members next) {
    members = next;
    listeners.forEach(listener -> listener.onMembersChanged(members));
  }

  /** Makes this node serve. */
  public void serve() {
    notServing = null;
    listeners.forEach(listener -> listener.onLeaseRenewed(incarnation));
  }

  /** Makes this node stop serving, for the given reason. */
  public void stopServing(String reason) {
    notServing = reason;
  }

  /** Like {@link #stopServing}, and another node serves; can be repeated. */
  public void expireLease() {
    stopServing("the lease has expired");
    listeners.forEach(listener -> listener.onLeaseExpired(incarnation));
  }

  /**
   * Ends the incarnation of this node: it is DOWN and does not serve. Completes when all listeners
   * have released it.
   */
  public CompletableFuture<Void> endIncarnation() {
    stopServing("the incarnation of this node has ended");
    setState(self, Member.State.DOWN);
    return CompletableFuture.allOf(
        listeners.stream()
            .map(listener -> listener.onIncarnationEnded(incarnation))
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Begins the next incarnation of this node: registered as UP, then admitted and serving when all
   * listeners are ready. Completes then.
   */
  public CompletableFuture<Void> beginIncarnation() {
    incarnation++;
    setUp(self, incarnation);
    return CompletableFuture.allOf(
            listeners.stream()
                .map(listener -> listener.beforeAdmission(incarnation))
                .toArray(CompletableFuture<?>[]::new))
        .thenRun(
            () -> {
              notServing = null;
              listeners.forEach(listener -> listener.onAdmitted(incarnation));
            });
  }
}
