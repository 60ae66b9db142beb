package io.fjordmq.cluster.consensus.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client side of a connection that is closed. */
final class OutgoingConnectionTest {
  private static final NodeId PEER = new NodeId("peer");
  private static final long NOTHING_SCHEDULED = -1;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final OutgoingConnection connection =
      new OutgoingConnection(
          PEER,
          channel,
          TransportSettings.DEFAULT,
          StartFence.inMemory(new NodeId("self"), StartStamp.NONE),
          ConsensusObserver.NONE);
  private final List<Exception> failures = new ArrayList<>();

  @AfterEach
  void release() {
    channel.releaseOutbound(); // written, but not read by the peer
  }

  private static PingRequest ping() {
    return PingRequest.newBuilder().setSendTimestamp(1).build();
  }

  @Test
  void shouldLeaveNothingIfTheConnectionIsLostDuringTheHandshake() {
    channel.close();
    channel.pipeline().addLast(connection);
    connection.send(ping(), 1_000, (response, failure) -> failures.add(failure));
    assertThat(failures).hasSize(1);
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NOTHING_SCHEDULED);
  }

  @Test
  void shouldFailAllPendingCallsEvenIfACallbackThrows() {
    channel.pipeline().addLast(connection);
    for (int i = 0; i < 3; i++) {
      connection.send(
          ping(),
          60_000,
          (response, failure) -> {
            failures.add(failure);
            throw new IllegalStateException("the bug");
          });
    }
    channel.close();
    channel.runPendingTasks();
    assertThat(failures).hasSize(3);
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NOTHING_SCHEDULED);
  }
}
