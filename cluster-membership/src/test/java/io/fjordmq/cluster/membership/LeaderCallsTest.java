package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.membership.ClockReport.Source;
import io.fjordmq.cluster.membership.LeaderResponse.NotLeader;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a node finds the metadata leader after the cluster has continued without it. */
class LeaderCallsTest {
  private static final NodeId FORMER = new NodeId("old");
  private static final NodeId SELF = new NodeId("self");
  private static final NodeId CURRENT = new NodeId("now");
  private static final LeaderRequest REQUEST =
      new LeaderRequest.Renewal(1, 1, new ClockReport(1, 1, Source.GUESS), Set.of());

  /** Each node is called once, and once more with what was learned meanwhile. */
  private static final int MAX_CALLS = 6;

  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final NodeAddresses addresses = NodeAddresses.inMemory();

  @SuppressWarnings("NullAway.Init") // created before each test
  private MetadataGroup group;

  @SuppressWarnings("NullAway.Init") // created before each test
  private LeaderCalls calls;

  /** In the last metadata of this node, the old node is the only metadata replica. */
  @BeforeEach
  void setUp() throws Exception {
    group = open(SELF);
    calls =
        new LeaderCalls(
            SELF,
            group,
            peers.start(SELF),
            addresses,
            request -> CompletableFuture.completedFuture(new NotLeader(null)));
    serve(CURRENT, new LeaderResponse.Removed());
  }

  private MetadataGroup open(NodeId node) throws Exception {
    SimHost host = cluster.start(node);
    MetadataGroup.bootstrap(host, new ReplicaSet(Set.of(FORMER), Set.of(SELF)));
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

  private void serve(NodeId node, LeaderResponse response) {
    peers
        .start(node)
        .serve(
            LeaderCalls.SERVICE,
            (from, request) -> CompletableFuture.completedFuture(response.encode()));
  }

  private boolean findsCurrentLeader() {
    for (int i = 0; i < MAX_CALLS; i++) {
      CompletableFuture<LeaderResponse> call = calls.call(REQUEST, Duration.ofSeconds(1));
      if (!call.isCompletedExceptionally() && call.join() instanceof LeaderResponse.Removed) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldTryAllKnownAddressesWhenAllMetadataReplicasAreGone() {
    assertThat(findsCurrentLeader()).isFalse();
    addresses.onAddress(CURRENT, new NodeAddress("now", 1));
    assertThat(findsCurrentLeader()).isTrue();
  }

  @Test
  void shouldTryOtherNodesWhenANodeNamesTheCallerAsTheLeader() {
    addresses.onAddress(CURRENT, new NodeAddress("now", 1));
    serve(FORMER, new NotLeader(SELF));
    assertThat(findsCurrentLeader()).isTrue();
  }

  /** A learner that no longer receives Raft messages keeps the last leader that it knew. */
  @Test
  void shouldFollowTheLastLeadersHint() throws Exception {
    open(FORMER);
    simulation.runUntil(
        "the learner knows the leader", () -> FORMER.equals(group.leadership().leader()), 10_000);
    serve(FORMER, new NotLeader(CURRENT));
    assertThat(findsCurrentLeader()).isTrue();
  }

  @Test
  void shouldTryOtherNodesWhenTheLastLeaderIsDown() throws Exception {
    open(FORMER);
    simulation.runUntil(
        "the learner knows the leader", () -> FORMER.equals(group.leadership().leader()), 10_000);
    addresses.onAddress(CURRENT, new NodeAddress("now", 1));
    assertThat(findsCurrentLeader()).isTrue();
  }

  /** A caller that knows that a write was never sent may repeat it immediately. */
  @Test
  void shouldReportThatAWriteWasNotSent() {
    PeerException unsent = new PeerException(PeerException.Kind.NOT_SENT, "no connection");
    assertThat(LeaderCalls.writeFailure(null, new CompletionException(unsent)).kind())
        .isEqualTo(ConsensusException.Kind.NOT_LEADER);
    assertThat(LeaderCalls.writeFailure(null, new CompletionException(new Exception())).kind())
        .isEqualTo(ConsensusException.Kind.OUTCOME_UNKNOWN);
  }
}
