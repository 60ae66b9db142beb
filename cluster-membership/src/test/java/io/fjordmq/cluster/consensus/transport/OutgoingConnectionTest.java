package io.fjordmq.cluster.consensus.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client side of a connection: timeouts, and what is left when it is closed. */
final class OutgoingConnectionTest {
  private static final NodeId PEER = new NodeId("peer");
  private static final long NOTHING_SCHEDULED = -1;

  private final EmbeddedChannel channel = frozenChannel();
  private final OutgoingConnection connection =
      new OutgoingConnection(
          PEER,
          channel,
          TransportSettings.DEFAULT,
          StartFence.inMemory(new NodeId("self"), StartStamp.NONE),
          ConsensusObserver.NONE);
  private final List<Exception> failures = new ArrayList<>();

  /** Returns a channel whose event loop's time advances only when a test says so. */
  private static EmbeddedChannel frozenChannel() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.freezeTime();
    return channel;
  }

  @AfterEach
  void release() {
    channel.finishAndReleaseAll(); // frames that are queued, or that the peer has not read
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

  @Test
  void shouldWakeUpOnlyWhenACallCanTimeOut() {
    channel.pipeline().addLast(connection);
    long handshake = channel.runScheduledPendingTasks();
    assertThat(handshake).as("no periodic check").isGreaterThan(TimeUnit.SECONDS.toNanos(5));
    connection.send(ping(), 4_000, (response, failure) -> failures.add(failure));
    connection.send(ping(), 1_000, (response, failure) -> failures.add(failure));
    connection.send(ping(), 2_000, (response, failure) -> failures.add(failure));
    assertThat(channel.runScheduledPendingTasks())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.MILLISECONDS.toNanos(1_000));
    channel.close();
    channel.runPendingTasks();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NOTHING_SCHEDULED);
  }

  @Test
  void shouldTimeOutEachCallAtItsDeadline() {
    channel.pipeline().addLast(connection);
    connection.send(ping(), 10_000, (response, failure) -> failures.add(failure));
    connection.send(ping(), 30, (response, failure) -> failures.add(failure));
    connection.send(ping(), 60, (response, failure) -> failures.add(failure));
    channel.runScheduledPendingTasks();
    assertThat(failures).isEmpty();
    channel.advanceTimeBy(31, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(failures).hasSize(1).allMatch(InvokeTimeoutException.class::isInstance);
    channel.advanceTimeBy(
        80,
        TimeUnit.MILLISECONDS); // within 50 ms of the deadline, not to sweep for every single call
    channel.runScheduledPendingTasks();
    assertThat(failures).hasSize(2);
    assertThat(channel.runScheduledPendingTasks()).isGreaterThan(TimeUnit.SECONDS.toNanos(5));
  }

  @Test
  void shouldExtendTheDeadlineOfACallInProgress() {
    channel.pipeline().addLast(connection);
    boolean[] inProgress = {true};
    connection.send(
        ping(),
        20,
        new OutgoingConnection.ResponseCallback() {
          @Override
          public void complete(@Nullable Message response, @Nullable Exception failure) {
            failures.add(failure);
          }

          @Override
          public boolean isInProgress() {
            return inProgress[0];
          }
        });
    channel.advanceTimeBy(21, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(failures).isEmpty();
    inProgress[0] = false;
    channel.advanceTimeBy(80, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(failures).hasSize(1);
  }
}
