package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link BrokerSimulation} under many seeds; {@link Seeds} says how many. A run of one seed alone
 * tells in its failure what the clients wrote and read.
 */
@Tag("slow")
class BrokerSimulationTest {
  private static final int USUAL_SEEDS = 250;

  @TempDir Path directory;

  @Test
  void shouldKeepItsPromises() {
    Seeds seeds = Seeds.usually(USUAL_SEEDS);
    boolean tellsStory = seeds.count() == 1;
    AtomicLong received = new AtomicLong();
    seeds.play(
        seed -> {
          Path installs = directory.resolve("s" + seed);
          received.addAndGet(new BrokerSimulation(seed, installs, Defect.NONE, tellsStory).run());
        });
    if (seeds.areEnough()) {
      assertThat(received.get()).as("messages received").isGreaterThan(50 * seeds.count());
    }
  }
}
