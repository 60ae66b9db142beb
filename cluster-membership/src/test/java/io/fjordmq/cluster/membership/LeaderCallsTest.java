package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.membership.LeaderAnswer.NotLeader;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a node that the cluster has gone on without finds who leads the metadata now. */
class LeaderCallsTest {
  private static final NodeId OLD = new NodeId("old");
  private static final NodeId SELF = new NodeId("self");
  private static final NodeId NOW = new NodeId("now");
  private static final LeaderRequest REQUEST =
      new LeaderRequest.Renewal(1, 1, new ClockReport(1, 1, false), Set.of());

  /** Each node is asked once, and once more after what it has heard meanwhile. */
  private static final int ENOUGH = 6;

  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final NodeAddresses addresses = NodeAddresses.inMemory();

  @SuppressWarnings("NullAway.Init") // made before each test
  private MetadataGroup group;

  @SuppressWarnings("NullAway.Init") // as above
  private LeaderCalls calls;

  /** When this node last heard of it the old one held the metadata, and nobody else. */
  @BeforeEach
  void learn() throws Exception {
    group = open(SELF);
    calls =
        new LeaderCalls(
            SELF,
            group,
            peers.start(SELF),
            addresses,
            request -> CompletableFuture.completedFuture(new NotLeader(null)));
    serve(NOW, new LeaderAnswer.Removed());
  }

  private MetadataGroup open(NodeId node) throws Exception {
    SimHost host = cluster.start(node);
    MetadataGroup.bootstrap(host, new ReplicaSet(Set.of(OLD), Set.of(SELF)));
    MetadataStorage storage =
        new MetadataStorage() {
          @Override
          public byte @Nullable [] load() {
            return null;
          }

          @Override
          public void save(byte[] checkpoint) {}
        };
    return MetadataGroup.open(host, storage, MetadataSettings.DEFAULT, host.process());
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void serve(NodeId node, LeaderAnswer answer) {
    peers
        .start(node)
        .serve(
            LeaderCalls.SERVICE,
            (from, request) -> CompletableFuture.completedFuture(answer.encode()));
  }

  private boolean findsWhoLeadsNow() {
    for (int i = 0; i < ENOUGH; i++) {
      CompletableFuture<LeaderAnswer> asked = calls.ask(REQUEST, Duration.ofSeconds(1));
      if (!asked.isCompletedExceptionally() && asked.join() instanceof LeaderAnswer.Removed) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldAskWhoIsKnownByAddressWhenAllThatHeldTheMetadataHaveGone() {
    assertThat(findsWhoLeadsNow()).isFalse();
    addresses.onAddress(NOW, new NodeAddress("now", 1));
    assertThat(findsWhoLeadsNow()).isTrue();
  }

  @Test
  void shouldAskOnWhenItIsToldThatItLeadsItself() {
    addresses.onAddress(NOW, new NodeAddress("now", 1));
    serve(OLD, new NotLeader(SELF));
    assertThat(findsWhoLeadsNow()).isTrue();
  }

  /** A learner that hears nothing of Raft any more goes on believing in the last leader. */
  @Test
  void shouldFollowWhatTheLastLeaderSaysOfTheNext() throws Exception {
    open(OLD);
    simulation.runUntil(
        "the learner has heard it", () -> OLD.equals(group.leadership().leader()), 10_000);
    serve(OLD, new NotLeader(NOW));
    assertThat(findsWhoLeadsNow()).isTrue();
  }

  @Test
  void shouldAskOthersWhenTheLastLeaderHasGone() throws Exception {
    open(OLD);
    simulation.runUntil(
        "the learner has heard it", () -> OLD.equals(group.leadership().leader()), 10_000);
    addresses.onAddress(NOW, new NodeAddress("now", 1));
    assertThat(findsWhoLeadsNow()).isTrue();
  }

  /** Who knows that a write was never sent may repeat it at once. */
  @Test
  void shouldSayThatAWriteWasNotSent() {
    PeerException unsent = new PeerException(PeerException.Kind.NOT_SENT, "no connection");
    assertThat(LeaderCalls.whyNotWritten(null, new CompletionException(unsent)).kind())
        .isEqualTo(ConsensusException.Kind.NOT_LEADER);
    assertThat(LeaderCalls.whyNotWritten(null, new CompletionException(new Exception())).kind())
        .isEqualTo(ConsensusException.Kind.OUTCOME_UNKNOWN);
  }
}
