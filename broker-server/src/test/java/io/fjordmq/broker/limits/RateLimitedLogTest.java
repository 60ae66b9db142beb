package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RateLimitedLog log = new RateLimitedLog(nanos::get);

  @Test
  void shouldPermitOneLinePerInterval() {
    assertThat(log.permit()).isEmpty();
    assertThat(log.permit()).isNull();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
    assertThat(log.permit()).isNull();
    nanos.addAndGet(1);
    assertThat(log.permit()).isEqualTo(" (suppressed 2 similar lines)");
  }

  @Test
  void shouldCountSuppressedLinesOnlyOnce() {
    log.permit();
    log.permit();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    log.permit();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    assertThat(log.permit()).isEmpty();
  }
}
