package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * The engine above the consensus port keeps its guarantees under all kinds of failures; {@link
 * Seeds} sets the number of runs.
 */
class RangeSimulationTest {
  private static final int DEFAULT_SEEDS = 120;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq.range");

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  /** Hundreds of runs halt thousands of replicas, and each halt logs a stack trace. */
  @BeforeAll
  static void muteLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void unmuteLog() {
    LOG.setLevel(null);
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @ValueSource(ints = {1, 3})
  void shouldKeepItsGuaranteesUnderAnyFailures(int voters) {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    SimCounts counts = new SimCounts();
    seeds.run(seed -> run(seed, RangeSimulation.Setup.of(voters), counts));
    if (seeds.areEnough()) { // the runs encountered the intended faults
      assertEncounteredFaults(counts, voters, seeds.count());
    }
  }

  private static void assertEncounteredFaults(SimCounts counts, int voters, long seeds) {
    assertThat(counts.acknowledgements).isGreaterThan(50 * seeds);
    assertThat(counts.retries).isGreaterThan(10 * seeds);
    assertThat(counts.duplicates).isGreaterThan(seeds);
    assertThat(counts.halts).isGreaterThan(seeds / 10);
    assertThat(counts.evictedSenders).isGreaterThan(0);
    assertThat(counts.abandonedBatches).isGreaterThan(0);
    assertThat(counts.splits).isGreaterThan(seeds / 2);
    assertThat(counts.merges).isGreaterThan(seeds / 2);
    assertThat(counts.unfreezes).isGreaterThan(seeds / 10);
    assertThat(counts.rejectedCommands).isGreaterThan(0);
    if (voters > 1) {
      assertThat(counts.installs).isGreaterThan(seeds / 10);
      assertThat(counts.redirects).isGreaterThan(10 * seeds);
    }
  }

  private void run(long seed, RangeSimulation.Setup setup, SimCounts counts) throws IOException {
    new RangeSimulation(seed, setup, directory.resolve("installs-" + seed), counts).run();
  }

  // A simulation that cannot fail proves nothing.

  @Test
  void shouldDetectAClientThatRepeatsBatchesUnderNewNumbers() {
    RangeSimulation.Setup broken =
        RangeSimulation.Setup.of(3).withTransport(RenumberingTransport::new);
    assertThat(find("batches under new numbers", broken)).hasMessageContaining("at most once");
  }

  @Test
  void shouldDetectACoprocessorThatIsNotDeterministic() {
    RangeSimulation.Setup broken =
        new RangeSimulation.Setup(
            3,
            id -> new NondeterministicCoprocessor(),
            RangeSimulation.Setup.of(3).transport(),
            false,
            false);
    assertThat(find("another state everywhere", broken)).hasMessageContaining("same state");
  }

  @Test
  void shouldDetectASplitThatDoesNotSyncItsGroup() {
    RangeSimulation.Setup usual = RangeSimulation.Setup.of(3);
    RangeSimulation.Setup broken =
        new RangeSimulation.Setup(3, usual.coprocessor(), usual.transport(), true, false);
    // The node that lost the start of its group's log starts without the replica, which counts as
    // halted.
    assertThat(find("groups that are not synced", broken))
        .hasStackTraceContaining("ms waiting until all replicas have the same applied index");
  }

  @Test
  void shouldDetectAMergeThatDoesNotWaitForAllReplicas() {
    RangeSimulation.Setup usual = RangeSimulation.Setup.of(3);
    RangeSimulation.Setup broken =
        new RangeSimulation.Setup(3, usual.coprocessor(), usual.transport(), false, true);
    assertThat(find("early merges", broken)).hasStackTraceContaining("ms waiting until");
  }

  private AssertionError find(String defect, RangeSimulation.Setup broken) {
    return Seeds.find(defect, 100, seed -> run(seed, broken, new SimCounts()));
  }

  /** Produces a different state on every replica. */
  private static final class NondeterministicCoprocessor extends AppendingCoprocessor {
    private byte[] start = new byte[0];

    @Override
    public void open(KeyInterval interval, KvReader state) {
      start = interval.start();
    }

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      if (start.length > 0) {
        context.state().put(new byte[] {SimNode.NOT_A_KEY}, new byte[] {(byte) hashCode()});
      }
      return super.apply(command, context);
    }
  }
}
