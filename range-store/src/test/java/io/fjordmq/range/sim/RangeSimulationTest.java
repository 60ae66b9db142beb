package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * The engine above the consensus port keeps its promises whatever goes wrong below and around it.
 *
 * <p>{@code -Dfjordmq.sim.seeds=N} runs seeds 1 to N instead of the usual number, {@code
 * -Dfjordmq.sim.seed=X} runs one alone.
 */
class RangeSimulationTest {
  private static final int USUAL_SEEDS = 120;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq.range");

  @TempDir Path directory;

  /** Hundreds of runs halt thousands of replicas, each with a stack trace. */
  @BeforeAll
  static void keepQuiet() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void speakAgain() {
    LOG.setLevel(null);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldKeepItsPromisesWhateverGoesWrong(int voters) throws IOException {
    long only = Long.getLong("fjordmq.sim.seed", 0);
    long last = only != 0 ? only : Long.getLong("fjordmq.sim.seeds", USUAL_SEEDS);
    SimCounts counts = new SimCounts();
    long acknowledgements = 0;
    for (long seed = only != 0 ? only : 1; seed <= last; seed++) {
      RangeSimulation run = run(seed, RangeSimulation.Setup.of(voters), counts);
      acknowledgements += run.acknowledgements();
    }
    if (only == 0) { // the runs did meet what they are for
      assertThat(acknowledgements).isGreaterThan(50 * last);
      assertMetTrouble(counts, voters, last);
    }
  }

  private static void assertMetTrouble(SimCounts counts, int voters, long seeds) {
    assertThat(counts.retries).isGreaterThan(10 * seeds);
    assertThat(counts.duplicates).isGreaterThan(seeds);
    assertThat(counts.halts).isGreaterThan(seeds / 10);
    assertThat(counts.forgotten).isGreaterThan(0);
    assertThat(counts.gaveUp).isGreaterThan(0);
    assertThat(counts.refused).isGreaterThan(0);
    if (voters > 1) {
      assertThat(counts.installs).isGreaterThan(seeds / 10);
      assertThat(counts.redirects).isGreaterThan(10 * seeds);
    }
  }

  private RangeSimulation run(long seed, RangeSimulation.Setup setup, SimCounts counts)
      throws IOException {
    RangeSimulation run =
        new RangeSimulation(seed, setup, directory.resolve("installs-" + seed), counts);
    run.run();
    return run;
  }

  // A simulation that cannot fail shows nothing.

  @Test
  void shouldFindAClientThatRepeatsBatchesUnderNewNumbers() {
    RangeSimulation.Setup usual = RangeSimulation.Setup.of(3);
    RangeSimulation.Setup broken =
        new RangeSimulation.Setup(3, usual.coprocessor(), Renumbering::new);
    assertThatThrownBy(() -> runSome(broken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("at most once")
        .hasMessageContaining("seed ");
  }

  @Test
  void shouldFindACoprocessorThatAsksWhoItIs() {
    RangeSimulation.Setup broken =
        new RangeSimulation.Setup(3, id -> new Vain(), RangeSimulation.Setup.of(3).transport());
    assertThatThrownBy(() -> runSome(broken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("same state");
  }

  private void runSome(RangeSimulation.Setup setup) throws IOException {
    for (long seed = 1; seed <= 20; seed++) {
      run(seed, setup, new SimCounts());
    }
  }

  /** Gives every attempt a number of its own, so that the ranges cannot recognise it. */
  private static final class Renumbering extends SimTransport {
    private long number;

    Renumbering(SimCluster cluster, NodeId client) {
      super(cluster, client);
    }

    @Override
    public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
      if (entry[1] == 1) {
        ByteBuffer.wrap(entry).putLong(26, ++number);
      }
      super.propose(node, range, entry, reply);
    }
  }

  /** Leaves another state on every replica. */
  private static final class Vain extends AppendingCoprocessor {
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
