package io.fjordmq.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RouteHealthMonitorTest {
  private static final String WHY = "range dist-1 is halted here: a row cannot be read";

  private final Made node = new Made();
  private final RouteHealthMonitor trouble = new RouteHealthMonitor(node);
  private long nowMillis = 1_000;

  private static final class Made implements RouteHealthMonitor.Node {
    private final List<String> done = new ArrayList<>();
    private @Nullable String halted;
    private @Nullable String behind;
    private @Nullable String replaced;
    private boolean counted = true;
    private boolean others = true;

    @Override
    public @Nullable String halted() {
      return halted;
    }

    @Override
    public @Nullable String replaced() {
      return replaced;
    }

    @Override
    public @Nullable String behind() {
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
      done.add("rest: " + why);
    }

    @Override
    public void resume() {
      done.add("resume");
    }
  }

  private void pass(long millis) {
    for (long left = millis; left > 0; left -= 1_000) {
      nowMillis += 1_000;
      trouble.check(nowMillis);
    }
  }

  @Test
  void shouldLiveOnIfTheReplicaIsSoonInServiceAgain() {
    node.halted = WHY;
    pass(RouteHealthMonitor.SUSPEND_AFTER_MILLIS - 1_000);
    node.halted = null;
    pass(1_000);
    node.halted = WHY;
    pass(RouteHealthMonitor.SUSPEND_AFTER_MILLIS - 1_000);
    assertThat(node.done).isEmpty();
  }

  @Test
  void shouldEndItsLifeAndBeginOneInWhichNobodyWaitsForIt() {
    node.halted = WHY;
    pass(RouteHealthMonitor.SUSPEND_AFTER_MILLIS + 2_000);
    assertThat(node.done).containsExactly("rest: " + WHY);
    node.counted = false;
    pass(RouteHealthMonitor.SUSPENSION_MILLIS + 1_000);
    assertThat(node.done).containsExactly("rest: " + WHY, "resume");
    pass(10 * RouteHealthMonitor.SUSPEND_AFTER_MILLIS);
    assertThat(node.done).hasSize(2);
  }

  /** The others have waited before it is said to be behind. */
  @Test
  void shouldEndItsLifeAtOnceWhenOthersHaveWaitedForTooLong() {
    node.behind = "a change of routes has not been applied";
    pass(1_000);
    assertThat(node.done).containsExactly("rest: " + node.behind);
    node.counted = false;
    pass(RouteHealthMonitor.SUSPENSION_MILLIS + 1_000);
    assertThat(node.done).hasSize(2).endsWith("resume");
  }

  /** Its old replica has gone, so it could serve nobody well. */
  @Test
  void shouldMakeWayForAnEmptyReplicaWhoeverElseServes() {
    node.replaced = "range dist-1 gets a new replica";
    node.others = false;
    pass(1_000);
    assertThat(node.done).containsExactly("rest: " + node.replaced);
    node.replaced = null;
    pass(1_000);
    assertThat(node.done).hasSize(2).endsWith("resume");
  }

  @Test
  void shouldServeWhatItCanWhereNobodyElseDoes() {
    node.halted = WHY;
    node.others = false;
    pass(10 * RouteHealthMonitor.SUSPEND_AFTER_MILLIS);
    assertThat(node.done).isEmpty();
  }

  @Test
  void shouldRestFromTheFirstReasonToTheLast() {
    Suspensions suspensions = new Suspensions(why -> node.suspend(why), node::resume);
    suspensions.suspend("disk", "the disk is full");
    suspensions.suspend("routes", WHY);
    suspensions.resume("disk");
    suspensions.resume("disk");
    assertThat(node.done).containsExactly("rest: the disk is full");
    suspensions.resume("routes");
    assertThat(node.done).containsExactly("rest: the disk is full", "resume");
  }
}
