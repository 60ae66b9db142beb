package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ManualTimers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Orders that a driver sends to its own node. */
class PlacementOrdersTest {
  private static final NodeId SELF = new NodeId("self");
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ManualTimers timers = new ManualTimers();

  private PlacementOrders orders(Function<PlacementOrder, CompletableFuture<byte[]>> local) {
    return new PlacementOrders(1, SELF, local, LoopbackPeers.immediate().start(SELF), timers);
  }

  @Test
  void shouldApplyTheTimeoutToThisNodeAsWell() {
    CompletableFuture<byte[]> done = new CompletableFuture<>();
    CompletableFuture<byte[]> response =
        orders(order -> done).send(SELF, new PlacementOrder.Report(), TIMEOUT);
    timers.advance(TIMEOUT.minusMillis(1));
    assertThat(response).isNotDone();
    timers.advance(Duration.ofMillis(1));
    assertThat(response)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("did not respond within 10000 ms");
    assertThat(done).as("the order may still be carried out").isNotDone();
  }

  @Test
  void shouldReturnAResponseThatArrivesInTime() {
    CompletableFuture<byte[]> done = new CompletableFuture<>();
    CompletableFuture<byte[]> response =
        orders(order -> done).send(SELF, new PlacementOrder.Report(), TIMEOUT);
    timers.advance(Duration.ofSeconds(5));
    done.complete(new byte[] {7});
    timers.advance(TIMEOUT);
    assertThat(response.join()).containsExactly(7);
  }

  @Test
  void shouldNumberOrdersAndTreatAnExceptionAsAMissingResponse() {
    List<PlacementOrder> received = new ArrayList<>();
    PlacementOrders orders =
        orders(
            order -> {
              received.add(order);
              throw new IllegalStateException("the bug");
            });
    for (int i = 0; i < 2; i++) {
      assertThat(orders.send(SELF, new PlacementOrder.Report(), TIMEOUT))
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withMessageContaining("the bug");
    }
    assertThat(received.get(1).isAfter(1, 1)).isTrue();
    assertThat(received.get(0).isAfter(1, 1)).isFalse();
  }
}
