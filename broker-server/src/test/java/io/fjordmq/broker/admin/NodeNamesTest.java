package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names in the metadata. */
class NodeNamesTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private final Map<String, MetadataRecord> records = new HashMap<>();
  private final TestMembership membership = new TestMembership(N1);
  private final NodeNames names = new NodeNames(membership, records::get);
  private int writes;

  @BeforeEach
  void join() {
    membership.setUp(N2, 1);
    membership.setUp(N3, 1);
    membership.setWriteHandler(
        batch -> {
          writes++;
          batch.forEach(this::apply);
          return CompletableFuture.completedFuture(new WriteResult.Applied(1));
        });
  }

  private void apply(Change change) {
    put(change.key(), Objects.requireNonNull(change.value()));
  }

  private void put(String key, byte[] value) {
    records.put(key, new MetadataRecord(key, value, 1));
  }

  private void name(NodeId node, String name) {
    put("node-name/" + node, NodeNames.encode(name));
  }

  @Test
  void shouldPublishTheOwnNameOnce() {
    assertThat(names.of(N1)).isEqualTo("n1");
    names.publish("alpha").join();
    names.publish("alpha").join();
    assertThat(names.of(N1)).isEqualTo("alpha");
    assertThat(writes).isEqualTo(1);
    names.publish("beta").join();
    assertThat(names.of(N1)).isEqualTo("beta");
  }

  @Test
  void shouldStartWithoutANameIfItCannotBeWritten() {
    membership.setWriteHandler(
        batch ->
            CompletableFuture.failedFuture(
                new ConsensusException(ConsensusException.Kind.NOT_LEADER, "no leader")));
    names.publish("alpha").join();
    assertThat(names.of(N1)).isEqualTo("n1");
  }

  @Test
  void shouldFindNodesByIdOrNameEvenWhileTheyAreDown() {
    name(N2, "beta");
    membership.setState(N2, Member.State.DOWN);
    assertThat(names.ids("beta")).containsExactly("n2");
    assertThat(names.ids("n2")).containsExactly("n2");
    assertThat(names.ids("gamma")).isEmpty();
    assertThat(names.conflicts()).isEmpty();
  }

  @Test
  void shouldReportNamesThatSeveralNodesHave() {
    name(N2, "beta");
    name(N3, "beta");
    assertThat(names.ids("beta")).containsExactly("n2", "n3");
    assertThat(names.conflicts())
        .containsExactly(
            "nodes n2, n3 have the same name 'beta', so commands accept only their ids; set a"
                + " different clusterConfig.nodeName on each of them");
    name(N3, "n2");
    assertThat(names.ids("n2")).as("ids take precedence").containsExactly("n2");
  }

  @Test
  void shouldKeepItsFormatAndIgnoreNewerOnes() {
    assertThat(HexFormat.of().formatHex(NodeNames.encode("ab"))).isEqualTo("01026162");
    assertThat(NodeNames.decode(HexFormat.of().parseHex("01026162"), "id")).isEqualTo("ab");
    assertThat(NodeNames.decode(HexFormat.of().parseHex("02026162"), "id")).isEqualTo("id");
    List<String> malformed = List.of("", "01", "0105", "0102616263");
    for (String bytes : malformed) {
      assertThat(NodeNames.decode(HexFormat.of().parseHex(bytes), "id")).isEqualTo("id");
    }
  }
}
