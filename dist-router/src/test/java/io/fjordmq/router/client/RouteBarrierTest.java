package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.fjordmq.api.Topic;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.sim.FollowedStore;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteChanged;
import io.fjordmq.router.RouteKeys;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: an effective route is matched by every node that may accept a PUBLISH. */
class RouteBarrierTest {
  private static final RouteSettings SETTINGS =
      new RouteSettings(2, 100, RouteSettings.Barrier.DEFAULTS);
  private static final Duration RETRY_INTERVAL = SETTINGS.barrier().retryInterval();

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final TestNode a = new TestNode("a");
  private final TestNode b = new TestNode("b");
  private final TestNode c = new TestNode("c");
  private final FollowedStore store =
      new FollowedStore(a.replicas.spec(), List.of(b.replicas.spec(), c.replicas.spec()));
  private final LocalRanges ranges = LocalRanges.of(store.spec());
  private final List<String> waits = new ArrayList<>();
  private final List<NodeId> reported = new ArrayList<>();
  private boolean hasUnstored;
  private final UnstoredPublishes unstored =
      new UnstoredPublishes() {
        @Override
        public boolean exist() {
          return hasUnstored;
        }

        @Override
        public void onReported(NodeId node) {
          reported.add(node);
        }
      };

  /** A node with its route replicas and barrier. */
  private final class TestNode {
    final NodeId id;
    final RouteReplicas replicas = new RouteReplicas(SETTINGS);
    final TestMembership membership;
    final LoopbackPeers.Node peer;
    @Nullable RouteBarrier barrier;

    TestNode(String name) {
      id = new NodeId(name);
      membership = new TestMembership(id);
      peer = peers.start(id);
    }

    ReplicatedRouteStore start() {
      RouteBarrier started =
          new RouteBarrier(
              membership,
              peer,
              ranges.timers(),
              SETTINGS.barrier(),
              replicas,
              (slowest, nanos) -> waits.add(slowest + " " + nanos / 1_000_000),
              unstored);
      started.start(peer);
      barrier = started;
      List.of(a, b, c).forEach(other -> membership.setUp(other.id, 1));
      return new ReplicatedRouteStore(ranges.client(RouteReplicas.STORE), replicas, started);
    }

    boolean matches(String topic) {
      return !new ReplicatedRouteStore(ranges.client(RouteReplicas.STORE), replicas)
          .match("t", new Topic(topic))
          .isEmpty();
    }
  }

  private final ReplicatedRouteStore onA = a.start();
  private final ReplicatedRouteStore onB = b.start();

  RouteBarrierTest() {
    c.start();
  }

  @AfterEach
  void close() {
    ranges.close();
  }

  @Test
  void shouldTakeEffectWhenAllLiveNodesHaveApplied() {
    store.hold(1);
    CompletableFuture<Void> added = onA.add(route("x"));
    assertThat(b.matches("x")).isTrue();
    assertThat(added).isNotDone();
    assertThat(onA.status().waitingForNodes()).isEqualTo(1);
    store.release(1);
    assertThat(added).isCompleted();
    assertThat(c.matches("x")).isTrue();
    assertThat(onA.status().waitingForNodes()).isZero();
  }

  @Test
  void shouldWaitForTheLocalReplicaWhenAnotherNodeLeads() {
    store.hold(0);
    CompletableFuture<Void> added = onB.add(route("x"));
    assertThat(added).isNotDone();
    store.release(0);
    assertThat(added).isCompleted();
  }

  @Test
  void shouldConfirmTheRemovalWhenNoLiveNodeMatches() {
    onA.add(route("x")).join();
    store.hold(1);
    CompletableFuture<Void> removed = onA.remove(route("x"));
    assertThat(c.matches("x")).isTrue();
    assertThat(removed).isNotDone();
    store.release(1);
    assertThat(removed).isCompleted();
    assertThat(c.matches("x")).isFalse();
  }

  @Test
  void shouldNotWaitForNodesThatAreDown() {
    store.hold(1);
    CompletableFuture<Void> added = onA.add(route("x"));
    a.membership.setState(c.id, Member.State.DRAINING);
    assertThat(added).as("it still accepts messages").isNotDone();
    a.membership.setState(c.id, Member.State.DOWN);
    assertThat(added).isCompleted();
  }

  @Test
  void shouldNotWaitForANodeThatIsStarting() {
    store.hold(1);
    a.membership.setState(c.id, Member.State.STARTING);
    assertThat(onA.add(route("x"))).isCompleted();
    assertThat(onA.remove(route("x"))).isCompleted();
    CompletableFuture<Void> added = onA.add(route("y"));
    a.membership.setUp(c.id, 1);
    CompletableFuture<Void> later = onA.add(route("z"));
    assertThat(added).isCompleted();
    assertThat(later).as("the route is effective now").isNotDone();
    store.release(1);
    assertThat(later).isCompleted();
  }

  @Test
  void shouldWaitForANodeThatBecomesLiveMeanwhile() {
    store.hold(0);
    store.hold(1);
    a.membership.setState(c.id, Member.State.DOWN);
    CompletableFuture<Void> added = onA.add(route("x"));
    a.membership.setUp(c.id, 2);
    store.release(0);
    assertThat(added).isNotDone();
    store.release(1);
    assertThat(added).isCompleted();
  }

  @Test
  void shouldRepeatTheRequestToAnUnreachableNode() {
    peers.cut(a.id, b.id);
    CompletableFuture<Void> added = onA.add(route("x"));
    ranges.advance(RETRY_INTERVAL.multipliedBy(10));
    assertThat(added).as("it is live, so it must have the route").isNotDone();
    peers.heal();
    ranges.advance(RETRY_INTERVAL.multipliedBy(2));
    assertThat(added).isCompleted();
  }

  @Test
  void shouldNameTheNodesThatDidNotRespond() {
    store.hold(1);
    CompletableFuture<Void> added = onA.add(route("x"));
    ranges.advance(SETTINGS.barrier().timeout().plus(RETRY_INTERVAL));
    assertThatThrownBy(added::join)
        .cause()
        .isInstanceOf(RangeException.class)
        .hasMessageContaining("[c]");
    store.release(1);
    assertThat(onA.add(route("y"))).isCompleted();
  }

  @Test
  void shouldAttributeTheWaitToTheSlowestNode() {
    store.hold(1);
    onA.add(route("x"));
    ranges.advance(Duration.ofMillis(70));
    assertThat(waits).isEmpty();
    store.release(1);
    assertThat(waits).containsExactly("[c] 70");
  }

  @Test
  void shouldAttributeATimeoutToTheNodesThatDidNotConfirm() {
    store.hold(1);
    onA.add(route("x"));
    ranges.advance(SETTINGS.barrier().timeout().plus(RETRY_INTERVAL));
    assertThat(waits).singleElement(as(STRING)).matches("\\[c] 15[01]\\d\\d");
  }

  @Test
  void shouldAttributeTheWaitForANodeThatWentDownToNoNode() {
    store.hold(1);
    onA.add(route("x"));
    ranges.advance(Duration.ofMillis(70));
    a.membership.setState(c.id, Member.State.DOWN);
    assertThat(waits).containsExactly("[] 70");
  }

  @Test
  void shouldTakeEffectOnlyWhenTheExpiredLeaseIsRenewed() {
    store.hold(0);
    CompletableFuture<Void> added = onA.add(route("x"));
    a.membership.stopServing("the lease has expired");
    store.release(0);
    ranges.advance(RETRY_INTERVAL);
    assertThat(added).isNotDone();
    a.membership.serve();
    ranges.advance(SETTINGS.barrier().retryInterval());
    assertThat(added).isCompleted();
  }

  @Test
  void shouldFailWhenTheExpiredLeaseIsNotRenewedInTime() {
    store.hold(0);
    CompletableFuture<Void> added = onA.add(route("x"));
    a.membership.stopServing("the lease has expired");
    store.release(0);
    ranges.advance(SETTINGS.barrier().timeout().plus(RETRY_INTERVAL));
    assertThatThrownBy(added::join).hasMessageContaining("the lease has expired");
  }

  @Test
  void shouldNotTakeEffectInALaterIncarnation() {
    store.hold(0);
    CompletableFuture<Void> added = onA.add(route("x"));
    a.membership.endIncarnation();
    a.membership.beginIncarnation();
    store.release(0);
    assertThatThrownBy(added::join).hasMessageContaining("incarnation of this node has ended");
  }

  @Test
  void shouldSendOneRequestAtATimeAndNoneThatIsCovered() {
    AtomicInteger requests = new AtomicInteger();
    NodeId d = new NodeId("d");
    CompletableFuture<byte[]> late = new CompletableFuture<>();
    peers
        .start(d)
        .serve(
            RouteBarrier.SERVICE,
            (from, request) -> {
              requests.incrementAndGet();
              return late;
            });
    a.membership.setUp(d, 1);
    Route route = route("x");
    List<CompletableFuture<Void>> changes =
        List.of(onA.add(route), onA.remove(route), onA.add(route), onA.remove(route));
    assertThat(requests).hasValue(1);
    late.complete(HexFormat.of().parseHex("01" + "00000000000000ff"));
    assertThat(changes).allMatch(CompletableFuture::isDone);
    assertThat(onA.add(route)).isCompleted();
    assertThat(requests).hasValue(1);
  }

  @Test
  void shouldReportTheLagBeforeASubscribeFails() {
    RouteBarrier behind = Objects.requireNonNull(c.barrier);
    store.hold(1);
    assertThat(onA.add(route("x"))).isNotDone();
    long index = a.replicas.applied().index(rangeOf("x"));
    Duration waited = Duration.ZERO;
    while (behind.overdueReason() == null) {
      b.peer.call(
          c.id,
          RouteBarrier.SERVICE,
          RouteBarrier.encodeRequest(RouteBarrier.VERSION, rangeOf("x"), index),
          SETTINGS.barrier().requestTimeout());
      ranges.advance(SETTINGS.barrier().requestTimeout());
      waited = waited.plus(SETTINGS.barrier().requestTimeout());
    }
    assertThat(waited).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
    assertThat(behind.overdueReason()).contains("has not been applied");
    store.release(1);
    assertThat(behind.overdueReason()).isNull();
  }

  @Test
  void shouldKeepTheWireFormat() {
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(RouteBarrier.encodeRequest(RouteBarrier.VERSION_1, 3, 258)))
        .isEqualTo("01" + "0000000000000003" + "0000000000000102");
    assertThat(hex.formatHex(RouteBarrier.encodeRequest(RouteBarrier.VERSION, 3, 258)))
        .isEqualTo("02" + "0000000000000003" + "0000000000000102");
    assertThat(hex.formatHex(new RouteChanged(3, 258).encode()))
        .isEqualTo("01" + "0000000000000003" + "0000000000000102");
    onA.add(route("x")).join();
    assertThat(hex.formatHex(sendToA(RouteBarrier.VERSION_1))).isEqualTo("01" + "000000000000000c");
    assertThat(hex.formatHex(sendToA(RouteBarrier.VERSION)))
        .isEqualTo("02" + "000000000000000c" + "00");
    hasUnstored = true;
    assertThat(hex.formatHex(sendToA(RouteBarrier.VERSION)))
        .isEqualTo("02" + "000000000000000c" + "01");
  }

  @Test
  void shouldReportNodesWithUnstoredPublishesBeforeTheRouteTakesEffect() {
    onA.add(route("x")).join();
    assertThat(reported).isEmpty();
    store.hold(1);
    CompletableFuture<Void> added = onA.add(route("y"));
    hasUnstored = true; // when c has applied the route
    List<NodeId> atCompletion = new ArrayList<>();
    added.thenRun(() -> atCompletion.addAll(reported));
    store.release(1);
    assertThat(added).isCompleted();
    assertThat(atCompletion).containsExactly(c.id);
  }

  @Test
  void shouldAskANodeOfAnOlderVersionInItsOwnFormat() {
    NodeId old = new NodeId("old");
    List<Byte> versions = new ArrayList<>();
    peers
        .start(old)
        .serve(
            RouteBarrier.SERVICE,
            (from, request) -> {
              versions.add(request[0]);
              return request[0] == RouteBarrier.VERSION_1
                  ? CompletableFuture.completedFuture(
                      HexFormat.of().parseHex("01" + "00000000000000ff"))
                  : CompletableFuture.failedFuture(new IllegalStateException("unknown version"));
            });
    a.membership.setUp(old, 1);
    assertThat(onA.add(route("x"))).isCompleted();
    assertThat(versions).containsExactly((byte) 2, (byte) 1);
    assertThat(reported).as("nobody knows what it has in flight").containsExactly(old);
  }

  private byte[] sendToA(int version) {
    byte[] request = RouteBarrier.encodeRequest(version, rangeOf("x"), 1);
    return b.peer.call(a.id, RouteBarrier.SERVICE, request, Duration.ofSeconds(1)).join();
  }

  private long rangeOf(String filter) {
    return RouteKeys.bucketOf("t", filter) < RouteKeys.BUCKETS / 2 ? 1 : 2;
  }

  @Test
  void shouldRemoveRoutesOfEndedIncarnations() {
    onA.add(RouteFixture.live("t", "old", "b", 1)).join();
    onA.add(RouteFixture.live("t", "new", "b", 2)).join();
    onA.add(RouteFixture.live("t", "down", "c", 1)).join();
    onA.add(RouteFixture.live("t", "self", "a", 1)).join();
    onA.add(RouteFixture.live("t", "unheard", "b", 3)).join();
    onA.add(RouteFixture.live("t", "stranger", "z", 1)).join();
    a.membership.setUp(b.id, 2);
    a.membership.setState(c.id, Member.State.DOWN);
    RouteSweeper follower = new RouteSweeper(onA, a.membership::members, () -> false);
    assertThat(follower.sweep()).isCompletedWithValue(0);
    RouteSweeper leader = new RouteSweeper(onA, a.membership::members, () -> true);
    assertThat(leader.sweep()).isCompletedWithValue(2);
    assertThat(List.of("old", "down")).noneMatch(a::matches);
    assertThat(List.of("new", "self", "unheard", "stranger")).allMatch(a::matches);
    assertThat(leader.sweep()).isCompletedWithValue(0);
  }

  private static Route route(String filter) {
    return RouteFixture.live("t", filter, "a", 1);
  }
}
