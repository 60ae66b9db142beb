package io.fjordmq.broker.drain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.drain.Evacuation.State;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An evacuation needs a node that takes over, and can be stopped at any time. */
class EvacuationTest {
  private static final NodeId SELF = new NodeId("a");
  private static final NodeId OTHER = new NodeId("b");

  private final FakeHost host = new FakeHost();
  // The tests call each step.
  private final Evacuation evacuation = new Evacuation(host, Duration.ofHours(1));

  @AfterEach
  void close() {
    evacuation.close();
  }

  /** A node whose writes to the metadata succeed at once, unless a test delays them. */
  private static final class FakeHost implements Evacuation.Host {
    private final Map<NodeId, Member> members = new HashMap<>();
    private final List<Boolean> written = new ArrayList<>();
    private CompletableFuture<Void> result = CompletableFuture.completedFuture(null);
    private Runnable whileCountingRanges = () -> {};
    private boolean isRefusing;
    private int disconnected;

    private FakeHost() {
      set(SELF, Member.State.UP);
      set(OTHER, Member.State.UP);
    }

    private void set(NodeId node, Member.State state) {
      members.put(node, new Member(node, new NodeAddress("h", 1), 1, state));
    }

    @Override
    public NodeId self() {
      return SELF;
    }

    @Override
    public Members members() {
      return new Members(1, members);
    }

    @Override
    public CompletableFuture<Void> setDraining(boolean draining) {
      written.add(draining);
      set(SELF, draining ? Member.State.DRAINING : Member.State.UP);
      return result;
    }

    @Override
    public long ledRanges() {
      whileCountingRanges.run();
      return 0;
    }

    @Override
    public boolean isTransferOverdue(long startedNanos) {
      return false;
    }

    @Override
    public long clients() {
      return 1;
    }

    @Override
    public int clientsPerSecond() {
      return 1_000;
    }

    @Override
    public void refuseClients() {
      isRefusing = true;
    }

    @Override
    public void acceptClients() {
      isRefusing = false;
    }

    @Override
    public void disconnect(int atMost) {
      disconnected += atMost;
    }
  }

  @Test
  void shouldRefuseClientsUntilItIsStopped() {
    assertThat(evacuation.start(null)).isCompletedWithValue("");
    evacuation.step();
    assertThat(host.isRefusing).isTrue();
    assertThat(host.disconnected).isPositive();
    assertThat(evacuation.status().state()).isEqualTo(State.EVICTING_CONNS);
    assertThat(evacuation.stop()).isCompletedWithValue("");
    assertThat(host.isRefusing).isFalse();
    assertThat(host.written).containsExactly(true, false);
  }

  @Test
  void shouldNotStartIfEveryOtherNodeIsEvacuatedOrLeaving() {
    host.set(OTHER, Member.State.DRAINING);
    host.set(new NodeId("c"), Member.State.LEAVING);
    assertThat(evacuation.start(null).join()).startsWith("no other node is up");
    host.set(new NodeId("d"), Member.State.FULL);
    assertThat(evacuation.start(null)).isCompletedWithValue("");
  }

  @Test
  void shouldKeepClientsWhileTheOtherNodeIsEvacuatedAtTheSameTime() {
    assertThat(evacuation.start(null)).isCompletedWithValue("");
    host.set(OTHER, Member.State.DRAINING);
    evacuation.step();
    assertThat(host.isRefusing).isFalse();
    assertThat(evacuation.status().state()).isEqualTo(State.TRANSFERRING_LEADERSHIP);
    host.set(OTHER, Member.State.UP);
    evacuation.step();
    assertThat(host.isRefusing).isTrue();
  }

  @Test
  void shouldNotRefuseClientsIfItIsStoppedDuringAStep() {
    assertThat(evacuation.start(null)).isCompletedWithValue("");
    host.whileCountingRanges =
        () -> {
          host.whileCountingRanges = () -> {};
          assertThat(evacuation.stop()).isCompletedWithValue("");
        };
    evacuation.step();
    assertThat(host.isRefusing).isFalse();
    assertThat(host.disconnected).isZero();
    assertThat(host.written).containsExactly(true, false);
  }

  @Test
  void shouldNotStayDrainingIfTheStartFails() {
    host.result = CompletableFuture.failedFuture(new IllegalStateException("timeout"));
    assertThat(evacuation.start(null)).isCompletedExceptionally();
    assertThat(host.written).containsExactly(true, false);
    assertThat(evacuation.status().state()).isEqualTo(State.DISABLED);
  }
}
