package io.fjordmq.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.ProtocolVersions;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: nodes with different versions of the protocol refuse each other, and both operators learn
 * why.
 */
class NewerProtocolTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  @Test
  void shouldRejectHellosOfTheNextVersion() {
    String reason =
        "the peer speaks version 3 of the peer protocol, this node speaks version 2; upgrade this node";
    assertThatThrownBy(() -> PeerProtocol.decode(HelloMessage.newBuilder().setProtocol(3).build()))
        .hasMessage(reason);
    assertThatThrownBy(
            () -> PeerProtocol.decode(HelloReplyMessage.newBuilder().setProtocol(3).build()))
        .hasMessage(reason);
  }

  /** Otherwise the first upgraded node would lock out all others. */
  @Test
  void shouldReplyToAnOlderNodeInTheVersionThatBothSupport() {
    ProtocolVersions newer = new ProtocolVersions(2, 3);
    HelloMessage hello = PeerProtocol.encode(Hello.ANONYMOUS);
    int version = PeerProtocol.commonVersion(newer, hello.getLowestProtocol(), hello.getProtocol());
    assertThat(version).isEqualTo(2);
    HelloReply reply =
        new HelloReply(
            "c1",
            "env",
            A,
            new StartStamp(1, 2),
            new NodeAddress("127.0.0.1", 8899),
            Set.of(A),
            Set.of(),
            null,
            Map.of(),
            0,
            1);
    HelloReplyMessage encoded = PeerProtocol.encode(reply, version);
    assertThat(encoded.getProtocol()).isEqualTo(2);
    assertThat(PeerProtocol.decode(encoded)).isEqualTo(reply);
  }

  @Test
  void shouldNameTheOlderOfTwoNodes() {
    PeerServer server =
        new PeerServer(
            "c1", A, TestPorts.SETTINGS, StartFence.inMemory(A, StartStamp.NONE), node -> {});
    assertThatThrownBy(() -> server.checkOpening(Opening.newBuilder().setProtocol(3).build(), B))
        .hasMessageContaining("version 3")
        .hasMessageEndingWith("upgrade this node");
    assertThatThrownBy(() -> server.checkOpening(Opening.newBuilder().setProtocol(1).build(), B))
        .hasMessageEndingWith("upgrade the peer");
  }
}
