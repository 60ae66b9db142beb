package io.fjordmq.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.membership.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DiskHealthMonitorTest {
  private static final long SLOW = 1_000;
  private static final long STEP = 250;

  private final FakeCluster cluster = new FakeCluster();
  private boolean room = true;
  private @Nullable String failure;
  private long stuckSince = -1;
  private long slowest;
  private long now;
  private final DiskHealthMonitor monitor =
      new DiskHealthMonitor(
          new DiskHealthMonitor.DiskState(() -> room, () -> failure, this::pace), cluster, SLOW);

  private LogLatency pace() {
    LogLatency pace = new LogLatency(stuckSince < 0 ? 0 : now - stuckSince, slowest);
    slowest = 0;
    return pace;
  }

  private void pass(long millis) {
    for (long end = now + millis; now < end; ) {
      now += STEP;
      monitor.check(now);
    }
  }

  @Test
  void shouldReportNothingWhileTheDiskIsHealthy() {
    pass(60_000);
    assertThat(cluster.events).isEmpty();
    assertThat(monitor.problem()).isNull();
  }

  @Test
  void shouldReportFullWhileSpaceIsLowAndUpAfterwards() {
    room = false;
    pass(5_000);
    room = true;
    pass(5_000);
    assertThat(cluster.events).containsExactly("FULL", "UP");
  }

  @Test
  void shouldReportSlowAfterASlowWriteUntilTheDiskRecovers() {
    slowest = SLOW;
    pass(4_000);
    assertThat(cluster.events).containsExactly("SLOW");
    pass(3_000);
    assertThat(cluster.events).containsExactly("SLOW", "UP");
  }

  @Test
  void shouldPauseHeartbeatsThenSuspendWhileAWriteIsStuckAndResume() {
    stuckSince = 0;
    pass(750);
    assertThat(cluster.events).isEmpty();
    pass(1_000);
    assertThat(cluster.events).containsExactly("SLOW", "silent");
    pass(500);
    assertThat(cluster.events)
        .hasSize(3)
        .last()
        .asString()
        .startsWith("rest: a log write has been stuck");
    stuckSince = -1;
    pass(STEP);
    assertThat(cluster.events.subList(3, 5)).containsExactly("speaks", "resume");
  }

  @Test
  void shouldSuspendWhileWritesFail() {
    failure = "no space";
    pass(2_000);
    assertThat(cluster.events).containsExactly("FULL", "rest: no space");
    failure = null;
    pass(STEP);
    assertThat(cluster.events).contains("resume");
  }

  @Test
  void shouldKeepServingUnlessAMajorityCanWriteWithoutThisNode() {
    cluster.canWrite = false;
    failure = "no space";
    stuckSince = 0;
    pass(20_000);
    assertThat(cluster.events).containsOnly("FULL");
  }

  /** The earlier majority check may have relied on this very disk. */
  @Test
  void shouldRecheckTheMajorityWhenAFullDiskStartsToFail() {
    room = false;
    pass(2_000);
    assertThat(cluster.events).containsExactly("FULL");
    cluster.canWrite = false;
    failure = "no space";
    pass(10_000);
    assertThat(cluster.events).containsOnly("FULL");
    cluster.canWrite = true;
    pass(2_000);
    assertThat(cluster.events).endsWith("rest: no space");
  }

  @Test
  void shouldNotSuspendWithoutACluster() {
    cluster.state = null;
    failure = "no space";
    stuckSince = 0;
    pass(20_000);
    assertThat(cluster.events).isEmpty();
    assertThat(monitor.problem()).isNotNull();
  }

  @Test
  void shouldReportNothingWhileTheNodeDrainsOrStarts() {
    for (Member.State going :
        List.of(Member.State.DRAINING, Member.State.LEAVING, Member.State.STARTING)) {
      cluster.state = going;
      room = false;
      pass(5_000);
      failure = "no space";
      stuckSince = now;
      pass(20_000);
      failure = null;
      stuckSince = -1;
      assertThat(cluster.events).as("%s", going).isEmpty();
    }
  }

  private static final class FakeCluster implements DiskHealthMonitor.Cluster {
    private final List<String> events = new ArrayList<>();
    private Member.@Nullable State state = Member.State.UP;
    private boolean canWrite = true;
    private boolean silent;

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
    public void suppressLeaderRequests(boolean now) {
      if (now != silent) {
        events.add(now ? "silent" : "speaks");
      }
      silent = now;
    }

    @Override
    public void suspend(String why) {
      events.add("rest: " + why);
    }

    @Override
    public void resume() {
      events.add("resume");
    }
  }
}
