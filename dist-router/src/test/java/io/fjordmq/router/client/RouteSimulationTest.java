package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.api.Topic;
import io.fjordmq.range.sim.EarlyReplyTransport;
import io.fjordmq.range.sim.RenumberingTransport;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.RouteStore;
import io.fjordmq.router.StaleRoutesRemoved;
import io.fjordmq.router.client.RouteSimulation.Matcher;
import io.fjordmq.router.client.RouteSimulation.Setup;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Routes are added and removed on one and on three nodes while messages are lost, duplicated and
 * delayed, nodes crash and lose unsynced writes, disks fill up and leaders change: every match
 * contains the acknowledged additions until their removal is requested, none contains acknowledged
 * removals, and matches equal the rows. {@link Seeds} determines the number of runs.
 */
@Tag("slow")
class RouteSimulationTest {
  private static final int DEFAULT_SEEDS = 100;
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  /** Intentional crashes are not worth logging. */
  @BeforeAll
  static void muteLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void unmuteLog() {
    LOG.setLevel(null);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldMatchAcknowledgedRoutesUnderFaults(int voters) {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    SimCounts counts = new SimCounts();
    seeds.run(seed -> run(seed, Setup.of(voters), counts));
    if (seeds.areEnough()) { // the runs encountered the intended faults
      assertThat(counts.acknowledgements).isGreaterThan(10 * seeds.count());
      assertThat(counts.duplicates).isGreaterThan(seeds.count() / 5);
      assertThat(counts.halts).isGreaterThan(seeds.count() / 10);
      assertThat(counts.abandonedBatches).isGreaterThan(seeds.count() / 10);
    }
  }

  private long run(long seed, Setup setup, SimCounts counts) throws IOException {
    return new RouteSimulation(seed, setup, directory.resolve("installs-" + seed), counts).run();
  }

  @Test
  void shouldRepeatARunWhenTheSeedIsTheSame() throws IOException {
    for (long seed = 1; seed <= 5; seed++) {
      long first = run(seed, Setup.of(3), new SimCounts());
      assertThat(run(seed, Setup.of(3), new SimCounts())).isEqualTo(first);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectResponsesBeforeTheEntryIsCommitted(int voters) {
    byte[] done =
        new StaleRoutesRemoved(0, null)
            .encode(); // for additions and removals, any response will do
    Setup respondsEarly =
        new Setup(
            voters,
            (cluster, client) -> new EarlyReplyTransport(cluster, client, done),
            Setup.of(voters).matcherFactory());
    assertThat(find("responses before the commit", respondsEarly))
        .hasMessageContaining("acknowledged");
  }

  @Test
  void shouldDetectChangesThatAreAppliedTwice() {
    Setup renumbering = new Setup(3, RenumberingTransport::new, Setup.of(3).matcherFactory());
    assertThat(find("retries with new sequence numbers", renumbering))
        .hasMessageMatching("(?s).*(acknowledged|removed nodes are not matched).*");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectStaleMatches(int voters) {
    Setup stale =
        new Setup(
            voters,
            Setup.of(voters).transport(),
            (simulation, router) -> new CachingMatcher(simulation, router));
    assertThat(find("no invalidation", stale)).hasMessageContaining("match of");
  }

  private AssertionError find(String defect, Setup broken) {
    return Seeds.find(defect, 20, seed -> run(seed, broken, new SimCounts()));
  }

  /** Queries the router for the same topic at most once in 20 ms. */
  private static final class CachingMatcher implements Matcher {
    private static final long CACHE_MILLIS = 20;

    private final Simulation simulation;
    private final RouteStore router;
    private final Map<String, MatchedRoutes> cachedMatches = new HashMap<>();
    private long validUntil;

    CachingMatcher(Simulation simulation, RouteStore router) {
      this.simulation = simulation;
      this.router = router;
    }

    @Override
    public MatchedRoutes match(String tenant, Topic topic) {
      if (simulation.now() > validUntil) {
        cachedMatches.clear();
        validUntil = simulation.now() + CACHE_MILLIS;
      }
      return cachedMatches.computeIfAbsent(
          tenant + " " + topic, anew -> router.match(tenant, topic));
    }
  }
}
