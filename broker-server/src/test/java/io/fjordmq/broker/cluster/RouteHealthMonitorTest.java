package io.fjordmq.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RouteHealthMonitorTest {
  private static final String HALT_REASON = "range dist-1 is halted here: a row cannot be read";

  private final FakeNode node = new FakeNode();
  private final RouteHealthMonitor monitor = new RouteHealthMonitor(node);
  private long nowMillis = 1_000;

  private static final class FakeNode implements RouteHealthMonitor.Node {
    private final List<String> actions = new ArrayList<>();
    private @Nullable String halted;
    private @Nullable String behind;
    private @Nullable String replaced;
    private boolean counted = true;
    private boolean others = true;

    @Override
    public @Nullable String haltedReason() {
      return halted;
    }

    @Override
    public @Nullable String replacementReason() {
      return replaced;
    }

    @Override
    public @Nullable String overdueReason() {
      return behind;
    }

    @Override
    public boolean isCounted() {
      return counted;
    }

    @Override
    public boolean othersServe() {
      return others;
    }

    @Override
    public void suspend(String why) {
      actions.add("suspend: " + why);
    }

    @Override
    public void resume() {
      actions.add("resume");
    }
  }

  private void advance(long millis) {
    for (long left = millis; left > 0; left -= 1_000) {
      nowMillis += 1_000;
      monitor.check(nowMillis);
    }
  }

  @Test
  void shouldNotSuspendIfTheReplicaRecoversSoon() {
    node.halted = HALT_REASON;
    advance(RouteHealthMonitor.SUSPEND_AFTER_MILLIS - 1_000);
    node.halted = null;
    advance(1_000);
    node.halted = HALT_REASON;
    advance(RouteHealthMonitor.SUSPEND_AFTER_MILLIS - 1_000);
    assertThat(node.actions).isEmpty();
  }

  @Test
  void shouldSuspendTheNodeAndResumeWithoutCountingItsRoutes() {
    node.halted = HALT_REASON;
    advance(RouteHealthMonitor.SUSPEND_AFTER_MILLIS + 2_000);
    assertThat(node.actions).containsExactly("suspend: " + HALT_REASON);
    node.counted = false;
    advance(RouteHealthMonitor.SUSPENSION_MILLIS + 1_000);
    assertThat(node.actions).containsExactly("suspend: " + HALT_REASON, "resume");
    advance(10 * RouteHealthMonitor.SUSPEND_AFTER_MILLIS);
    assertThat(node.actions).hasSize(2);
  }

  /** Other nodes have waited before the replica is reported as behind. */
  @Test
  void shouldSuspendImmediatelyWhenTheReplicaIsFarBehind() {
    node.behind = "a change of routes has not been applied";
    advance(1_000);
    assertThat(node.actions).containsExactly("suspend: " + node.behind);
    node.counted = false;
    advance(RouteHealthMonitor.SUSPENSION_MILLIS + 1_000);
    assertThat(node.actions).hasSize(2).endsWith("resume");
  }

  /** The old replica is removed, so the node cannot serve correctly. */
  @Test
  void shouldSuspendWhileTheReplicaIsReplacedEvenIfNoOtherNodeServes() {
    node.replaced = "range dist-1 gets a new replica";
    node.others = false;
    advance(1_000);
    assertThat(node.actions).containsExactly("suspend: " + node.replaced);
    node.replaced = null;
    advance(1_000);
    assertThat(node.actions).hasSize(2).endsWith("resume");
  }

  @Test
  void shouldNotSuspendIfNoOtherNodeServes() {
    node.halted = HALT_REASON;
    node.others = false;
    advance(10 * RouteHealthMonitor.SUSPEND_AFTER_MILLIS);
    assertThat(node.actions).isEmpty();
  }

  @Test
  void shouldStaySuspendedUntilTheLastReasonIsGone() {
    Suspensions suspensions = new Suspensions(why -> node.suspend(why), node::resume);
    suspensions.suspend("disk", "the disk is full");
    suspensions.suspend("routes", HALT_REASON);
    suspensions.resume("disk");
    suspensions.resume("disk");
    assertThat(node.actions).containsExactly("suspend: the disk is full");
    suspensions.resume("routes");
    assertThat(node.actions).containsExactly("suspend: the disk is full", "resume");
  }
}
