package io.fjordmq.cluster.membership;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which sources a node trusts for the addresses of others. */
class NodeAddressesTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeAddress OLD = new NodeAddress("10.0.0.1", 8899);
  private static final NodeAddress IN_METADATA = new NodeAddress("10.0.0.2", 8899);
  private static final NodeAddress REPORTED = new NodeAddress("10.0.0.3", 7000);

  @TempDir Path folder;

  @Test
  void shouldPreferOwnReportsToMetadataAndMetadataToHints() {
    NodeAddresses book = open();
    assertThat(book.find(A)).isNull();
    book.addHints(Map.of(A, OLD));
    assertThat(book.find(A)).isEqualTo(OLD);
    book.onMembersChanged(members(IN_METADATA));
    assertThat(book.find(A)).isEqualTo(IN_METADATA);
    book.onAddress(A, REPORTED);
    assertThat(book.find(A)).isEqualTo(REPORTED);
    book.onMembersChanged(members(OLD));
    assertThat(book.find(A)).isEqualTo(REPORTED);
    assertThat(book.unconfirmed()).as("to be resolved").containsExactly(Map.entry(A, OLD));
    book.onAddress(A, OLD);
    assertThat(book.unconfirmed()).isEmpty();
  }

  @Test
  void shouldUseTheNextPortForRaft() {
    NodeAddresses book = open();
    book.onAddress(A, REPORTED);
    assertThat(book.peerAddressBook().addressOf(A))
        .isEqualTo(new InetSocketAddress("10.0.0.3", 7000));
    assertThat(book.raftAddressBook().addressOf(A))
        .isEqualTo(new InetSocketAddress("10.0.0.3", 7001));
    assertThat(book.raftAddressBook().addressOf(new NodeId("b"))).isNull();
  }

  @Test
  void shouldResolveNamesInTheBackground() {
    NodeAddresses book = open();
    book.onAddress(A, new NodeAddress("localhost", 1));
    InetSocketAddress found = requireNonNull(book.peerAddressBook().addressOf(A));
    assertThat(found.getAddress().isLoopbackAddress()).isTrue();
    book.onAddress(A, new NodeAddress("no-such-host.invalid", 1));
    assertThat(book.peerAddressBook().addressOf(A)).isNull();
  }

  /** Connection attempts look the name up repeatedly, and a lookup may take half a minute. */
  @Test
  void shouldResolveANameOnceAtATimeWithoutBlockingTheDisk() {
    List<Runnable> writes = new ArrayList<>();
    List<Runnable> lookups = new ArrayList<>();
    NodeAddresses book = NodeAddresses.open(folder.resolve("addresses"), writes::add, lookups::add);
    book.onAddress(A, new NodeAddress("localhost", 1));
    book.onAddress(B, new NodeAddress("no-such-host.invalid", 1));
    writes.clear();
    for (int i = 0; i < 100; i++) {
      assertThat(book.peerAddressBook().addressOf(A)).isNull();
      assertThat(book.raftAddressBook().addressOf(B)).isNull();
    }
    assertThat(lookups).hasSize(2);
    assertThat(writes).isEmpty();
    lookups.forEach(Runnable::run);
    assertThat(book.peerAddressBook().addressOf(A)).isNotNull();
    assertThat(book.peerAddressBook().addressOf(B)).isNull();
    assertThat(lookups).as("each once more").hasSize(4);
  }

  @Test
  void shouldLoadSavedAddressesAndIgnoreADamagedFile() throws Exception {
    NodeAddresses book = open();
    book.onMembersChanged(members(IN_METADATA));
    assertThat(open().find(A)).isEqualTo(IN_METADATA);
    book.onAddress(A, new NodeAddress("fe80::1%eth0", 1));
    assertThat(open().find(A)).isEqualTo(new NodeAddress("fe80::1%eth0", 1));
    for (String damaged :
        new String[] {"", "something else\n", "fjordmq address book, form 1\na"}) {
      Files.writeString(folder.resolve("addresses"), damaged);
      assertThat(open().find(A)).isNull();
    }
  }

  private NodeAddresses open() {
    return NodeAddresses.open(folder.resolve("addresses"), Runnable::run, Runnable::run);
  }

  private static Members members(NodeAddress address) {
    return new Members(1, Map.of(A, new Member(A, address, 1, Member.State.UP)));
  }
}
