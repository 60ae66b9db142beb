package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import org.junit.jupiter.api.Test;

class PendingBarriersTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final PendingBarriers barriers = new PendingBarriers(4_000);

  @Test
  void shouldReportTheAgeOfTheOldestRequest() {
    barriers.onRequest(A, 1, 5, 0);
    barriers.onRequest(B, 1, 5, 1_000);
    barriers.onRequest(A, 1, 9, 2_000);
    assertThat(barriers.oldestMillis(3_000)).isEqualTo(3_000);
    barriers.onResponse(A, 1, 6);
    assertThat(barriers.oldestMillis(3_000)).isEqualTo(2_000);
    barriers.onResponse(B, 1, 5);
    assertThat(barriers.oldestMillis(3_000)).isEqualTo(1_000);
    barriers.onResponse(A, 1, 9);
    assertThat(barriers.oldestMillis(3_000)).isZero();
  }

  @Test
  void shouldMeasureFromTheFirstRequestForAnIndex() {
    for (long now = 0; now <= 9_000; now += 3_000) {
      barriers.onRequest(A, 1, 5, now);
    }
    assertThat(barriers.oldestMillis(10_000)).isEqualTo(10_000);
  }

  /** No SUBSCRIBE waits long, although the node always lags. */
  @Test
  void shouldNotAddUpTheWaitsOfDifferentRequests() {
    for (long now = 0; now <= 60_000; now += 2_000) {
      barriers.onRequest(A, 1, now, now);
      barriers.onResponse(A, 1, now - 2_000);
    }
    assertThat(barriers.oldestMillis(60_000)).isEqualTo(0);
  }

  @Test
  void shouldForgetANodeThatNoLongerSendsRequests() {
    barriers.onRequest(A, 1, 5, 0);
    assertThat(barriers.oldestMillis(4_001)).isZero();
    barriers.onRequest(A, 1, 5, 8_000);
    assertThat(barriers.oldestMillis(9_000)).isEqualTo(1_000);
  }
}
