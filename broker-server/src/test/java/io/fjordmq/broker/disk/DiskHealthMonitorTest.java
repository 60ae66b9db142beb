package io.fjordmq.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.membership.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DiskHealthMonitorTest {
  private static final long SLOW = 1_000;
  private static final long STEP = 250;

  private final FakeCluster cluster = new FakeCluster();
  private boolean hasSpace = true;
  private @Nullable String failure;
  private long stuckSince = -1;
  private long slowest;
  private long now;
  private final DiskHealthMonitor monitor =
      new DiskHealthMonitor(
          new DiskHealthMonitor.DiskState(() -> hasSpace, () -> failure, this::takeLatency),
          cluster,
          SLOW);

  private LogLatency takeLatency() {
    LogLatency latency = new LogLatency(stuckSince < 0 ? 0 : now - stuckSince, slowest);
    slowest = 0;
    return latency;
  }

  private void advance(long millis) {
    for (long end = now + millis; now < end; ) {
      now += STEP;
      monitor.check(now);
    }
  }

  @Test
  void shouldReportNothingWhileTheDiskIsHealthy() {
    advance(60_000);
    assertThat(cluster.events).isEmpty();
    assertThat(monitor.problem()).isNull();
  }

  @Test
  void shouldReportFullWhileSpaceIsLowAndUpAfterwards() {
    hasSpace = false;
    advance(5_000);
    hasSpace = true;
    advance(5_000);
    assertThat(cluster.events).containsExactly("FULL", "UP");
  }

  @Test
  void shouldLogTheProblemAsAWarningAndTheRecoveryAsInformation() {
    Logger logger = (Logger) LoggerFactory.getLogger(DiskHealthMonitor.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    logger.setLevel(Level.INFO);
    try {
      hasSpace = false;
      advance(5_000);
      hasSpace = true;
      advance(5_000);
    } finally {
      logger.setLevel(null);
      logger.detachAppender(appender);
    }
    assertThat(appender.list)
        .extracting(ILoggingEvent::getLevel)
        .containsExactly(Level.WARN, Level.INFO);
  }

  @Test
  void shouldReportSlowAfterASlowWriteUntilTheDiskRecovers() {
    slowest = SLOW;
    advance(4_000);
    assertThat(cluster.events).containsExactly("SLOW");
    advance(3_000);
    assertThat(cluster.events).containsExactly("SLOW", "UP");
  }

  @Test
  void shouldPauseHeartbeatsThenSuspendWhileAWriteIsStuckAndResume() {
    stuckSince = 0;
    advance(750);
    assertThat(cluster.events).isEmpty();
    advance(1_000);
    assertThat(cluster.events).containsExactly("SLOW", "suppress");
    advance(500);
    assertThat(cluster.events)
        .hasSize(3)
        .last()
        .asString()
        .startsWith("suspend: a log write has been stuck");
    stuckSince = -1;
    advance(STEP);
    assertThat(cluster.events.subList(3, 5)).containsExactly("allow", "resume");
  }

  @Test
  void shouldSuspendWhileWritesFail() {
    failure = "no space";
    advance(2_000);
    assertThat(cluster.events).containsExactly("FULL", "suspend: no space");
    failure = null;
    advance(STEP);
    assertThat(cluster.events).contains("resume");
  }

  @Test
  void shouldKeepServingUnlessAMajorityCanWriteWithoutThisNode() {
    cluster.canWrite = false;
    failure = "no space";
    stuckSince = 0;
    advance(20_000);
    assertThat(cluster.events).containsOnly("FULL");
  }

  /** The earlier majority check may have relied on this very disk. */
  @Test
  void shouldRecheckTheMajorityWhenAFullDiskStartsToFail() {
    hasSpace = false;
    advance(2_000);
    assertThat(cluster.events).containsExactly("FULL");
    cluster.canWrite = false;
    failure = "no space";
    advance(10_000);
    assertThat(cluster.events).containsOnly("FULL");
    cluster.canWrite = true;
    advance(2_000);
    assertThat(cluster.events).endsWith("suspend: no space");
  }

  @Test
  void shouldNotSuspendWithoutACluster() {
    cluster.state = null;
    failure = "no space";
    stuckSince = 0;
    advance(20_000);
    assertThat(cluster.events).isEmpty();
    assertThat(monitor.problem()).isNotNull();
  }

  @Test
  void shouldReportNothingWhileTheNodeDrainsOrStarts() {
    for (Member.State going :
        List.of(Member.State.DRAINING, Member.State.LEAVING, Member.State.STARTING)) {
      cluster.state = going;
      hasSpace = false;
      advance(5_000);
      failure = "no space";
      stuckSince = now;
      advance(20_000);
      failure = null;
      stuckSince = -1;
      assertThat(cluster.events).as("%s", going).isEmpty();
    }
  }

  private static final class FakeCluster implements DiskHealthMonitor.Cluster {
    private final List<String> events = new ArrayList<>();
    private Member.@Nullable State state = Member.State.UP;
    private boolean canWrite = true;
    private boolean suppressed;

    @Override
    public Member.@Nullable State state() {
      return state;
    }

    @Override
    public CompletableFuture<Void> report(Member.State disk) {
      events.add(disk.name());
      if (!canWrite) {
        return CompletableFuture.failedFuture(new IllegalStateException("no majority"));
      }
      state = disk;
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void suppressLeaderRequests(boolean suppress) {
      if (suppress != suppressed) {
        events.add(suppress ? "suppress" : "allow");
      }
      suppressed = suppress;
    }

    @Override
    public void suspend(String why) {
      events.add("suspend: " + why);
    }

    @Override
    public void resume() {
      events.add("resume");
    }
  }
}
