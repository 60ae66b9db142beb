package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.testing.Await;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A decommissioned node continues by itself, and stops once. */
class DecommissionTest {
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger exits = new AtomicInteger();

  private Decommission decommission(int steps) {
    Decommission decommission =
        new Decommission(
            () ->
                attempts.incrementAndGet() <= steps
                    ? CommandResult.inProgress("step " + attempts.get())
                    : CommandResult.done("moved"));
    decommission.setExit(exits::incrementAndGet);
    return decommission;
  }

  @Test
  void shouldContinueUntilTheNodeStops() {
    try (Decommission decommission = decommission(2)) {
      assertThat(decommission.request().text()).isEqualTo("step 1");
      Await.until("the node stops", () -> exits.get() == 1);
      assertThat(attempts).hasValue(3);
      assertThat(decommission.request()).isEqualTo(CommandResult.done("moved; the node stops now"));
      assertThat(exits).hasValue(1);
    }
  }

  @Test
  void shouldNotBeginWhatCannotSucceed() {
    try (Decommission decommission =
        new Decommission(
            () -> {
              attempts.incrementAndGet();
              return CommandResult.failed("no other node is up");
            })) {
      decommission.setExit(exits::incrementAndGet);
      assertThat(decommission.request()).isEqualTo(CommandResult.failed("no other node is up"));
      assertThat(attempts).hasValue(1);
      assertThat(exits).hasValue(0);
    }
  }
}
