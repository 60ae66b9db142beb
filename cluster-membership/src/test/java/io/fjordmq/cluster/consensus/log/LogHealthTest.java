package io.fjordmq.cluster.consensus.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.LogLatency;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class LogHealthTest {
  private final LogHealth health = new LogHealth(Path.of("log"));

  @Test
  void shouldReportTheAgeOfAPendingWriteAndOnceItsDuration() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch disk = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              health.onWriteStarted();
              started.countDown();
              try {
                disk.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              health.onWriteFinished();
            });
    writer.start();
    started.await();
    Thread.sleep(60);
    health.onWriteStarted(); // a later write that succeeds
    health.onWriteFinished();
    assertThat(health.latency().waitingMillis()).isGreaterThanOrEqualTo(59);
    disk.countDown();
    writer.join();
    LogLatency after = health.latency();
    assertThat(after.waitingMillis()).isZero();
    assertThat(after.slowestMillis()).isGreaterThanOrEqualTo(59);
    assertThat(health.latency()).isEqualTo(new LogLatency(0, 0));
  }
}
