package io.fjordmq.cluster.peer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.IntroductionMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import org.junit.jupiter.api.Test;

/** Goal: nodes of two versions of the protocol do not talk, and both operators are told why. */
class NewerProtocolTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  @Test
  void shouldRefuseGreetingsOfTheNextVersion() {
    String why =
        "version 2 of the protocol between nodes, this node speaks version 1: upgrade this node";
    assertThatThrownBy(() -> PeerProtocol.decode(HelloMessage.newBuilder().setProtocol(2).build()))
        .hasMessage(why);
    assertThatThrownBy(
            () -> PeerProtocol.decode(IntroductionMessage.newBuilder().setProtocol(2).build()))
        .hasMessage(why);
  }

  @Test
  void shouldSayWhichOfTwoNodesIsTheOlder() {
    PeerServer server = new PeerServer("c1", A, TestPorts.SETTINGS);
    assertThatThrownBy(() -> server.requireMeant(Opening.newBuilder().setProtocol(2).build(), B))
        .hasMessageContaining("version 2")
        .hasMessageEndingWith("upgrade node a");
    assertThatThrownBy(() -> server.requireMeant(Opening.newBuilder().setProtocol(0).build(), B))
        .hasMessageEndingWith("upgrade node b");
  }
}
