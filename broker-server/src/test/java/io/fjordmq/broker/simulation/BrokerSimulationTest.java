package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link BrokerSimulation} with many seeds; {@link Seeds} determines how many. The failure of a run
 * with a single seed includes what the clients sent and received.
 */
@Tag("slow")
class BrokerSimulationTest {
  private static final int USUAL_SEEDS = 250;

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  @Test
  void shouldKeepItsGuarantees() {
    Seeds seeds = Seeds.withDefaultCount(USUAL_SEEDS);
    boolean printsRecentEvents = seeds.count() == 1;
    AtomicLong received = new AtomicLong();
    seeds.run(
        seed -> {
          Path installs = directory.resolve("s" + seed);
          received.addAndGet(
              new BrokerSimulation(seed, installs, Defect.NONE, printsRecentEvents).run());
        });
    if (seeds.areEnough()) {
      assertThat(received.get()).as("messages received").isGreaterThan(50 * seeds.count());
    }
  }
}
