package io.fjordmq.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The asking end of a connection, when that ends. */
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
    channel.releaseOutbound(); // what was written and nobody has read
  }

  private static PingRequest ping() {
    return PingRequest.newBuilder().setSendTimestamp(1).build();
  }

  @Test
  void shouldLeaveNothingBehindIfTheConnectionHasGoneBeforeItWasOfUse() {
    channel.close();
    channel.pipeline().addLast(connection);
    connection.send(ping(), 1_000, (response, failure) -> failures.add(failure));
    assertThat(failures).hasSize(1);
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NOTHING_SCHEDULED);
  }

  @Test
  void shouldTellAllWhoWaitThoughOneOfThemHasABug() {
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
