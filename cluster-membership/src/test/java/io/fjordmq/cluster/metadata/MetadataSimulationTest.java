package io.fjordmq.cluster.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.testing.Seeds;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers increment counters by compare-and-set while nodes crash and leaders change. All replicas
 * must show the same history, and each acknowledged increment must count exactly once; {@link
 * Seeds} determines the number of runs.
 */
class MetadataSimulationTest {

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @ValueSource(ints = {1, 3})
  void shouldCountEveryAcknowledgedIncrementOnceWhenNodesFail(int nodes) {
    Seeds seeds = Seeds.withDefaultCount(200);
    Totals totals = new Totals();
    seeds.run(
        seed -> {
          Run run = new Run(seed, nodes, MetadataGroup::write);
          run.execute();
          totals.add(run);
        });
    if (seeds.areEnough()) { // the runs encountered the intended faults
      totals.assertEncounteredFaults(nodes, seeds.count());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectResponsesBeforeTheEntryIsCommitted(int nodes) {
    BatchWriter respondsEarly =
        (group, batch) -> {
          group.write(batch);
          return CompletableFuture.completedFuture(new WriteResult.Applied(0));
        };
    AssertionError found =
        Seeds.find(
            "responses before the commit",
            20,
            seed -> new Run(seed, nodes, respondsEarly).execute());
    assertThat(found).hasMessageContaining("acknowledged of counter/");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectCheckpointsThatNeverReachTheDisk(int nodes) {
    AssertionError found =
        Seeds.find(
            "checkpoints in memory only",
            20,
            seed -> {
              Run run = new Run(seed, nodes, MetadataGroup::write);
              run.cluster.loseCheckpoints();
              run.execute();
            });
    assertThat(found).hasMessageContaining("does not start");
  }

  /** Writes a batch; a test may replace it by a faulty version. */
  private interface BatchWriter {
    CompletableFuture<WriteResult> write(MetadataGroup leader, List<Change> batch);
  }

  private static final class Totals {
    private long acknowledged;
    private long conflicts;
    private long unknown;

    void add(Run run) {
      acknowledged += run.acknowledged;
      conflicts += run.conflicts;
      unknown += run.unknown;
    }

    void assertEncounteredFaults(int nodes, long seeds) {
      assertThat(acknowledged).isGreaterThan(20 * seeds);
      assertThat(conflicts).isGreaterThan(seeds);
      if (nodes > 1) {
        assertThat(unknown).isGreaterThan(seeds / 10);
      }
    }
  }

  private static final class Run {
    private static final int COUNTERS = 3;

    private final BatchWriter writing;
    private final MetadataCluster cluster;
    private final Map<Long, MetadataView> history = new HashMap<>();
    private final Map<MetadataGroup, MetadataView> lastCheckedViews = new IdentityHashMap<>();
    private final Map<String, Integer> acknowledgedOf = new HashMap<>();
    private int writers;
    private long acknowledged;
    private long conflicts;
    private long unknown;

    Run(long seed, int nodes, BatchWriter writing) {
      this.writing = writing;
      cluster = new MetadataCluster(seed, nodes);
      cluster.simulation.afterEveryEvent(this::checkHistory);
    }

    void execute() {
      try (cluster) {
        cluster.cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
        cluster.startAll();
        for (int i = 0; i < 150; i++) {
          increment();
          increment();
          injectFault();
          cluster.simulation.run(cluster.simulation.between(1, 80));
        }
        cluster.cluster.network().heal();
        cluster.cluster.network().setFaults(SimNetwork.Faults.NONE);
        cluster.startAll();
        cluster.simulation.run(3000);
        MetadataGroup leader = cluster.leader();
        cluster.simulation.runUntil(
            "all replicas agree",
            () -> cluster.groups().stream().allMatch(g -> g.view().version() == version(leader)),
            20_000);
        checkCounts(leader.view());
      }
    }

    /** A writer's attempt to increment a counter, based on the view of a random replica. */
    private void increment() {
      List<MetadataGroup> groups = cluster.groups();
      if (groups.isEmpty()) {
        return;
      }
      MetadataView seen = pick(groups).view();
      String key = "counter/" + cluster.simulation.between(1, COUNTERS);
      MetadataRecord record = seen.get(key);
      long expected = record == null ? Change.ABSENT : record.version();
      String value = Long.toString(count(record) + 1);
      String writer = "writer/" + ++writers;
      List<Change> batch =
          List.of(
              Change.put(key, value.getBytes(US_ASCII), expected),
              Change.put(writer, key.getBytes(US_ASCII), Change.ABSENT));
      for (MetadataGroup group : groups) {
        if (group.leadership().leading()) {
          writing
              .write(group, batch)
              .whenComplete((result, failure) -> onWritten(key, result, failure));
          return;
        }
      }
    }

    private void onWritten(String key, @Nullable WriteResult result, @Nullable Throwable failure) {
      if (result instanceof WriteResult.Applied) {
        acknowledged++;
        acknowledgedOf.merge(key, 1, Integer::sum);
      } else if (result instanceof WriteResult.Conflict) {
        conflicts++;
      } else if (failure instanceof ConsensusException e
          && e.kind() == ConsensusException.Kind.OUTCOME_UNKNOWN) {
        unknown++;
      }
    }

    private void injectFault() {
      NodeId node = pick(cluster.nodes);
      if (cluster.cluster.running(node)) {
        if (cluster.simulation.chance(5)) {
          cluster.crash(node);
        } else if (cluster.simulation.chance(5)) {
          cluster.cluster.network().partition(cluster.nodes, List.of(node));
        } else if (cluster.simulation.chance(20)) {
          cluster.cluster.network().heal();
        }
      } else if (cluster.simulation.chance(40)) {
        cluster.start(node);
      }
    }

    /** A version has the same records on every replica, in every incarnation of it. */
    private void checkHistory() {
      for (MetadataGroup group : cluster.groups()) {
        MetadataView view = group.view();
        if (lastCheckedViews.put(group, view) == view) {
          continue;
        }
        MetadataView known = history.putIfAbsent(view.version(), view);
        if (known != null && !known.equals(view)) {
          throw new AssertionError("conflicting histories: " + known + " and " + view);
        }
      }
    }

    private void checkCounts(MetadataView view) {
      String seed = "seed " + cluster.simulation.seed();
      Map<String, Integer> written = new HashMap<>();
      for (MetadataRecord writer : view.withPrefix("writer/")) {
        written.merge(new String(writer.value(), US_ASCII), 1, Integer::sum);
      }
      for (int i = 1; i <= COUNTERS; i++) {
        String key = "counter/" + i;
        long count = count(view.get(key));
        assertThat(count).as(seed + ", " + key).isEqualTo(written.getOrDefault(key, 0).longValue());
        assertThat(count)
            .as(seed + ", acknowledged of " + key)
            .isGreaterThanOrEqualTo(acknowledgedOf.getOrDefault(key, 0));
      }
      assertThat(view.withPrefix("writer/").size())
          .as(seed)
          .isGreaterThanOrEqualTo((int) acknowledged);
    }

    private <T> T pick(List<T> from) {
      return from.get((int) cluster.simulation.between(0, from.size() - 1));
    }

    private static long version(MetadataGroup group) {
      return group.view().version();
    }

    private static long count(@Nullable MetadataRecord record) {
      return record == null ? 0 : Long.parseLong(new String(record.value(), US_ASCII));
    }
  }
}
