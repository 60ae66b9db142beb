package io.fjordmq.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

  @Test
  void shouldPollUntilTheConditionHolds() {
    AtomicInteger polls = new AtomicInteger();
    Await.until("five polls", () -> polls.incrementAndGet() == 5);
    assertThat(polls).hasValue(5);
  }

  @Test
  void shouldDescribeTheConditionOnTimeout() {
    assertThatThrownBy(() -> Await.until(() -> "a leader, but none", 0, () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessage("timed out after 0 s: a leader, but none");
  }
}
