package io.fjordmq.cluster.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The behavior of the metadata group as its users see it. */
final class MetadataGroupTest {
  private final MetadataCluster cluster = new MetadataCluster(1, 3);

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void shouldGiveRecordsTheVersionOfTheirBatch() {
    cluster.startAll();
    assertThat(write(put("a", "1", Change.ABSENT), put("b", "1", Change.ABSENT)))
        .isEqualTo(new WriteResult.Applied(1));
    assertThat(write(put("a", "2", 1))).isEqualTo(new WriteResult.Applied(2));
    MetadataView view = cluster.leader().view();
    assertThat(view.version()).isEqualTo(2);
    assertThat(view.records())
        .containsExactly(
            new MetadataRecord("a", bytes("2"), 2), new MetadataRecord("b", bytes("1"), 1));
  }

  @Test
  void shouldWriteNothingOfABatchWhenOneRecordHasAnotherVersion() {
    cluster.startAll();
    write(put("a", "1", Change.ABSENT));
    assertThat(write(put("b", "1", Change.ANY), put("a", "2", Change.ABSENT)))
        .isEqualTo(new WriteResult.Conflict("a", 1));
    assertThat(write(Change.remove("c", 7)))
        .isEqualTo(new WriteResult.Conflict("c", Change.ABSENT));
    assertThat(cluster.leader().view().records())
        .containsExactly(new MetadataRecord("a", bytes("1"), 1));
    assertThat(cluster.leader().view().version()).isEqualTo(1);
  }

  @Test
  void shouldDistinguishARecordFromTheOneItReplaced() {
    cluster.startAll();
    write(put("a", "1", Change.ABSENT));
    write(Change.remove("a", 1));
    write(put("a", "1", Change.ABSENT));
    assertThat(write(put("a", "2", 1))).isEqualTo(new WriteResult.Conflict("a", 3));
  }

  @Test
  void shouldReadAllKeysOfAPrefixInOrder() {
    cluster.startAll();
    write(put("n/b", "", -1), put("n/a", "", -1), put("n", "", -1), put("n0", "", -1));
    assertThat(cluster.leader().view().withPrefix("n/"))
        .extracting(MetadataRecord::key)
        .containsExactly("n/a", "n/b");
  }

  @Test
  void shouldNotifyListenersOnceAndInOrder() {
    cluster.startAll();
    write(put("a", "1", -1));
    NodeId node = cluster.nodes.get(0);
    List<String> events = new ArrayList<>();
    requireNonNull(cluster.group(node))
        .watch(
            (view, updates) ->
                updates.forEach(
                    u -> events.add(u.key() + (u.record() == null ? " gone" : " there"))));
    write(put("b", "1", -1), put("c", "1", -1));
    write(Change.remove("a", -1));
    cluster.simulation.run(1000);
    assertThat(events).containsExactly("a there", "b there", "c there", "a gone");
  }

  @Test
  void shouldReadEveryCompletedWriteAtAFollower() {
    cluster.startAll();
    MetadataGroup leader = cluster.leader();
    MetadataGroup follower =
        cluster.groups().stream().filter(group -> group != leader).findFirst().orElseThrow();
    write(put("a", "1", -1));
    assertThat(finish(follower.readView()).get("a")).isNotNull();
  }

  @Test
  void shouldRefuseWritesWhenAnotherReplicaLeads() {
    cluster.startAll();
    MetadataGroup leader = cluster.leader();
    for (MetadataGroup follower : cluster.groups()) {
      if (follower != leader) {
        assertThat(follower.write(List.of(put("a", "1", -1))))
            .isCompletedExceptionally()
            .failsWithin(java.time.Duration.ZERO)
            .withThrowableThat()
            .havingCause()
            .isInstanceOf(ConsensusException.class)
            .withMessageContaining("the leader is " + leader.leadership().leader());
      }
    }
  }

  @Test
  void shouldRejectBatchesThatAreTooLargeEmptyOrContainAKeyTwice() {
    cluster.startAll();
    MetadataGroup leader = cluster.leader();
    assertThatThrownBy(() -> leader.write(List.of(Change.put("a", new byte[1 << 16]))))
        .hasMessageContaining("maxBatchBytes");
    assertThatThrownBy(() -> leader.write(List.of())).hasMessageContaining("must not be empty");
    assertThatThrownBy(() -> leader.write(List.of(put("a", "", -1), put("a", "", -1))))
        .hasMessageContaining("twice");
  }

  @Test
  void shouldRecoverEverythingAfterAllNodesWereKilled() {
    cluster.startAll();
    for (int i = 0; i < 50; i++) {
      write(put("k" + i % 7, "v" + i, Change.ANY));
    }
    MetadataView before = cluster.leader().view();
    cluster.nodes.forEach(cluster::crash);
    cluster.startAll();
    assertThat(finish(cluster.leader().readView())).isEqualTo(before);
  }

  @Test
  void shouldTruncateTheLogWhenEnoughWasWritten() {
    cluster.startAll();
    for (int i = 0; i < 100; i++) {
      write(put("k", "v" + i, Change.ANY));
    }
    cluster.simulation.run(1000);
    assertThat(cluster.leader().status().firstIndex()).isGreaterThan(50);
  }

  @Test
  void shouldReportChangesWhenAReplicaInstallsASnapshot() {
    cluster.startAll();
    write(put("stays", "", -1), put("goes", "", -1));
    cluster.simulation.run(1000);
    MetadataGroup leader = cluster.leader();
    NodeId behind =
        cluster.nodes.stream()
            .filter(node -> cluster.group(node) != leader)
            .findFirst()
            .orElseThrow();
    List<String> events = new ArrayList<>();
    requireNonNull(cluster.group(behind))
        .watch((view, updates) -> updates.forEach(update -> events.add(update.toString())));
    events.clear();
    cluster.cluster.network().partition(cluster.nodes, List.of(behind));
    write(Change.remove("goes", -1));
    for (int i = 0; i < 60; i++) {
      write(put("new", "v" + i, Change.ANY));
    }
    finish(leader.checkpoint());
    assertThat(leader.status().firstIndex()).isGreaterThan(10);
    cluster.cluster.network().heal();
    MetadataGroup late = requireNonNull(cluster.group(behind));
    MetadataView agreed = leader.view();
    cluster.simulation.runUntil("the replica caught up", () -> late.view().equals(agreed), 20_000);
    assertThat(events).hasSize(2);
    assertThat(events.get(0)).contains("key=goes, before=goes version", "record=null");
    assertThat(events.get(1)).contains("key=new");
  }

  private WriteResult write(Change... batch) {
    return finish(cluster.leader().write(List.of(batch)));
  }

  private <T> T finish(CompletableFuture<T> future) {
    cluster.simulation.runUntil("the result", future::isDone, 20_000);
    return future.join();
  }

  private static Change put(String key, String value, long expectedVersion) {
    return Change.put(key, bytes(value), expectedVersion);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
