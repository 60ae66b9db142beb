package io.fjordmq.broker.drain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeadershipHandoverTest {
  private static final NodeId SELF = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private final List<ReplicaStatus> replicas = new ArrayList<>();
  private final Map<String, NodeId> transferred = new TreeMap<>();
  private CompletableFuture<Void> result = CompletableFuture.completedFuture(null);

  private final LeadershipHandover.Ranges ranges =
      new LeadershipHandover.Ranges() {
        @Override
        public List<ReplicaStatus> status() {
          return replicas;
        }

        @Override
        public CompletableFuture<Void> transferLeadership(RangeId range, NodeId target) {
          transferred.put(range.toString(), target);
          return result;
        }
      };

  private void addReplica(long number, boolean leading, NodeId... voters) {
    ReplicaSet group = new ReplicaSet(Set.of(voters), Set.of());
    RangeDescriptor range =
        new RangeDescriptor(new RangeId("dist", number), KeyInterval.ALL, RangeEpoch.FIRST, group);
    GroupStatus status =
        new GroupStatus(new Leadership(1, leading ? SELF : B, leading), group, 1, 1, 1, 1);
    replicas.add(new ReplicaStatus(SELF, range, leading, 1, 0, 0, 0, status, null, null));
  }

  private void handOver(Duration timeout, NodeId... up) {
    new LeadershipHandover(ranges, () -> Set.of(up), timeout).close();
  }

  @Test
  void shouldDistributeLeadershipOverTheOtherVotersThatAreUp() {
    addReplica(1, true, SELF, B, C);
    addReplica(2, true, SELF, B, C);
    addReplica(3, false, SELF, B, C);
    addReplica(4, true, SELF, C);
    handOver(Duration.ofDays(1), SELF, B, C);
    assertThat(transferred).isEqualTo(Map.of("dist-1", B, "dist-2", C, "dist-4", C));
  }

  @Test
  void shouldNotTransferLeadershipToNodesThatAreNotUp() {
    addReplica(1, true, SELF, B, C);
    addReplica(2, true, SELF, B);
    addReplica(3, true, SELF);
    handOver(Duration.ofDays(1), SELF, C);
    assertThat(transferred).isEqualTo(Map.of("dist-1", C));
  }

  @Test
  void shouldStopAtTheDeadlineIfATransferFailsOrHangs() {
    addReplica(1, true, SELF, B);
    result = CompletableFuture.failedFuture(new IllegalStateException("busy"));
    handOver(Duration.ofDays(1), SELF, B);
    result = new CompletableFuture<>();
    handOver(Duration.ofMillis(1), SELF, B);
    assertThat(transferred).isEqualTo(Map.of("dist-1", B));
  }
}
