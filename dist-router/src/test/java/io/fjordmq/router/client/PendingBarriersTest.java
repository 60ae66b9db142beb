package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import org.junit.jupiter.api.Test;

class PendingBarriersTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final PendingBarriers questions = new PendingBarriers(4_000);

  @Test
  void shouldReportTheAgeOfTheOldestRequest() {
    questions.onRequest(A, 1, 5, 0);
    questions.onRequest(B, 1, 5, 1_000);
    questions.onRequest(A, 1, 9, 2_000);
    assertThat(questions.oldestMillis(3_000)).isEqualTo(3_000);
    questions.onResponse(A, 1, 6);
    assertThat(questions.oldestMillis(3_000)).isEqualTo(2_000);
    questions.onResponse(B, 1, 5);
    assertThat(questions.oldestMillis(3_000)).isEqualTo(1_000);
    questions.onResponse(A, 1, 9);
    assertThat(questions.oldestMillis(3_000)).isZero();
  }

  @Test
  void shouldMeasureFromTheFirstRequestForAnIndex() {
    for (long now = 0; now <= 9_000; now += 3_000) {
      questions.onRequest(A, 1, 5, now);
    }
    assertThat(questions.oldestMillis(10_000)).isEqualTo(10_000);
  }

  /** No SUBSCRIBE waits long, however far the node lags all the time. */
  @Test
  void shouldNotAddUpTheWaitsOfDifferentRequests() {
    for (long now = 0; now <= 60_000; now += 2_000) {
      questions.onRequest(A, 1, now, now);
      questions.onResponse(A, 1, now - 2_000);
    }
    assertThat(questions.oldestMillis(60_000)).isEqualTo(0);
  }

  @Test
  void shouldForgetANodeThatNoLongerSendsRequests() {
    questions.onRequest(A, 1, 5, 0);
    assertThat(questions.oldestMillis(4_001)).isZero();
    questions.onRequest(A, 1, 5, 8_000);
    assertThat(questions.oldestMillis(9_000)).isEqualTo(1_000);
  }
}
