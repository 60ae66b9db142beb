package io.fjordmq.retain.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.sim.EarlyReplyTransport;
import io.fjordmq.range.sim.RenumberingTransport;
import io.fjordmq.range.sim.SimCounts;
import io.fjordmq.range.sim.SimTransport;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import io.fjordmq.retain.client.RetainSimulation.Setup;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Retained messages are set, cleared and expire on one and on three nodes while messages between
 * them are lost, duplicated and delayed, nodes crash and lose unsynced writes, disks fill up and
 * leaders change: a scan finds every topic's last acknowledged message (or a later one that may
 * have been applied), cleared messages do not reappear, nothing is returned twice or made up, and
 * the limit is observed. {@link Seeds} determines the number of runs.
 */
@Tag("slow")
class RetainSimulationTest {
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
  void shouldRetainAcknowledgedMessagesUnderFaults(int voters) {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    SimCounts counts = new SimCounts();
    seeds.run(seed -> run(seed, Setup.of(voters), counts));
    if (seeds.areEnough()) { // the runs encountered the intended faults
      assertThat(counts.acknowledgements).isGreaterThan(20 * seeds.count());
      assertThat(counts.duplicates).isGreaterThan(seeds.count() / 2);
      assertThat(counts.halts).isGreaterThan(seeds.count() / 10);
      assertThat(counts.abandonedBatches).isGreaterThan(seeds.count() / 10);
    }
  }

  private long run(long seed, Setup setup, SimCounts counts) throws IOException {
    return new RetainSimulation(seed, setup, directory.resolve("installs-" + seed), counts).run();
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
    byte[] kept = {(byte) RetainStore.PutOutcome.RETAINED.ordinal()};
    SimTransport.Factory respondsEarly =
        (cluster, client) -> new EarlyReplyTransport(cluster, client, kept);
    assertThat(find("responses before the commit", new Setup(voters, respondsEarly, s -> s, true)))
        .hasMessageContaining("contrary to what was acknowledged");
  }

  @Test
  void shouldDetectChangesThatAreAppliedTwice() {
    Setup renumbering = new Setup(3, RenumberingTransport::new, s -> s, true);
    assertThat(find("retries with new sequence numbers", renumbering))
        .hasMessageContaining("contrary to what was acknowledged");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectScansThatEndTooEarly(int voters) {
    Setup early = new Setup(voters, SimTransport::new, FirstPageOnlyStore::new, true);
    assertThat(find("scans that end too early", early)).hasMessageContaining("scan of ");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldDetectAStoreWithoutALimit(int voters) {
    Setup unlimited = new Setup(voters, SimTransport::new, s -> s, false);
    assertThat(find("no limit", unlimited)).hasMessageContaining("retained beyond the limit");
  }

  private AssertionError find(String defect, Setup broken) {
    return Seeds.find(defect, 20, seed -> run(seed, broken, new SimCounts()));
  }

  /** Reports every page as the last one. */
  private record FirstPageOnlyStore(RetainStore store) implements RetainStore {
    @Override
    public CompletableFuture<PutOutcome> put(
        String tenant, Message message, RetainVersion retainVersion) {
      return store.put(tenant, message, retainVersion);
    }

    @Override
    public CompletableFuture<Page> match(
        String tenant,
        TopicFilter filter,
        byte @Nullable [] cursor,
        int maxMessages,
        int maxBytes) {
      return store
          .match(tenant, filter, cursor, maxMessages, maxBytes)
          .thenApply(page -> new Page(page.messages(), null));
    }

    @Override
    public long count() {
      return store.count();
    }
  }
}
