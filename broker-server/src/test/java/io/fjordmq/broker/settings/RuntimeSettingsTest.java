package io.fjordmq.broker.settings;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import io.fjordmq.broker.config.ConfigOrigin;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.cluster.consensus.ConsensusException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Values set on one node apply on all nodes. */
class RuntimeSettingsTest {
  private static final String QUEUE = "sessionConfig.maxQueuedMessages";
  private static final String INFLIGHT = "sessionConfig.maxInflight";

  @TempDir Path dir;

  private final TestRecords records = new TestRecords();
  private RuntimeSettings here;
  private RuntimeSettings there;

  @BeforeEach
  void open() throws Exception {
    here = open("sessionConfig:\n  maxQueuedMessages: 7\n");
    there = open("overloadConfig:\n  heapLowPercent: 60\n");
  }

  private RuntimeSettings open(String yaml) throws Exception {
    Path file = Files.createTempFile(dir, "node", ".yml");
    Files.writeString(file, yaml);
    return RuntimeSettings.open(
        new RuntimeSettings.Dependencies(
            ConfigLoader.load(new CommandLine(file, null, null)), records.client(), Runnable::run));
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    records.close();
  }

  private static ConfigEntry entry(RuntimeSettings settings, String key) {
    return settings.entries().stream()
        .filter(entry -> entry.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  private static int queue(RuntimeSettings settings) {
    return settings.current().sessionConfig().maxQueuedMessages();
  }

  @Test
  void shouldApplyValuesOnAllNodesAndToLaterOnes() throws Exception {
    List<Integer> seen = new ArrayList<>();
    there.watch(config -> seen.add(config.sessionConfig().maxQueuedMessages()));
    List<ConfigEntry> entries = get(here.set(Map.of(QUEUE, "500", INFLIGHT, "9")));
    assertThat(entries).extracting(ConfigEntry::value).containsExactlyInAnyOrder("500", "9");
    assertThat(queue(here)).isEqualTo(500);
    assertThat(queue(there)).isEqualTo(500);
    assertThat(seen).containsExactly(1_000, 500);
    try (RuntimeSettings later = open("bootstrap: true")) {
      assertThat(queue(later)).isEqualTo(500);
    }
    ConfigEntry removed = get(there.remove(QUEUE)).get(0);
    assertThat(removed.origin()).isEqualTo(ConfigOrigin.DEFAULT);
    assertThat(queue(here)).isEqualTo(7);
    assertThat(queue(there)).isEqualTo(1_000);
    assertThat(there.current().sessionConfig().maxInflight()).isEqualTo(9);
    fails(here.remove(QUEUE), Kind.NOT_FOUND);
  }

  @Test
  void shouldRefuseInvalidValuesAndKeepTheOthers() {
    get(here.set(Map.of(INFLIGHT, "9")));
    assertThat(fails(here.set(Map.of(QUEUE, "0", INFLIGHT, "8")), Kind.INVALID))
        .isEqualTo(QUEUE + " must be between 1 and 2147483647, not 0");
    assertThat(fails(here.set(Map.of("dataDir", "x")), Kind.INVALID)).startsWith("dataDir ");
    assertThat(fails(here.set(Map.of(QUEUE, "1".repeat(257))), Kind.INVALID))
        .contains("256 characters");
    assertThat(here.current().sessionConfig().maxInflight()).isEqualTo(9);
    assertThat(queue(here)).isEqualTo(7);
  }

  @Test
  void shouldIgnoreAValueThatDoesNotFitThisNode() {
    get(here.set(Map.of("overloadConfig.heapLowPercent", "10")));
    get(here.remove("overloadConfig.heapLowPercent"));
    // Valid here, where the recovery threshold can be lower; the file of the other node has 60.
    store(Map.of("overloadConfig.heapHighPercent", "55", QUEUE, "5"));
    BrokerConfig other = there.current();
    assertThat(other.overloadConfig().heapHighPercent()).isEqualTo(85);
    assertThat(other.sessionConfig().maxQueuedMessages()).isEqualTo(5);
    ConfigEntry ignored = entry(there, "overloadConfig.heapHighPercent");
    assertThat(ignored.origin()).isEqualTo(ConfigOrigin.DEFAULT);
    assertThat(ignored.apiValue()).isEqualTo("55");
  }

  @Test
  void shouldRemoveAndChangeValuesBesideInvalidOnes() {
    store(Map.of(QUEUE, "0", INFLIGHT, "0", "drainConfig.clientsPerSecond", "7"));
    assertThat(queue(here)).isEqualTo(7);
    assertThat(here.current().drainConfig().clientsPerSecond()).isEqualTo(7);
    get(here.set(Map.of("drainConfig.clientsPerSecond", "8")));
    assertThat(here.current().drainConfig().clientsPerSecond()).isEqualTo(8);
    get(here.remove(QUEUE));
    get(here.remove(INFLIGHT));
    get(here.set(Map.of(QUEUE, "5")));
    assertThat(queue(there)).isEqualTo(5);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldFindAnInvalidValueAmongMany() {
    Map<String, String> many = new TreeMap<>();
    for (int i = 1; i < RuntimeSettings.MAX_OVERRIDES; i++) {
      many.put("tenants.t" + i + ".tenantConfig.maxConnections", "1");
    }
    many.put("overloadConfig.heapHighPercent", "55"); // the file of the other node has 60 below it
    store(many); // on the thread of the metadata, which must not try each value
    assertThat(there.current().overloadConfig().heapHighPercent()).isEqualTo(85);
    assertThat(there.current().tenants()).hasSize(RuntimeSettings.MAX_OVERRIDES - 1);
  }

  @Test
  void shouldApplyChangesAlthoughAComponentFails() {
    List<Integer> seen = new ArrayList<>();
    AtomicBoolean fails = new AtomicBoolean();
    here.watch(
        config -> {
          if (fails.get()) {
            throw new IllegalStateException("test");
          }
        });
    here.watch(config -> seen.add(config.sessionConfig().maxQueuedMessages()));
    fails.set(true);
    get(here.set(Map.of(QUEUE, "5")));
    assertThat(seen).containsExactly(7, 5);
  }

  private void store(Map<String, String> values) {
    records.put(StoredOverrides.KEY, StoredOverrides.encode(values));
  }

  @Test
  void shouldRefuseTooManyValuesAtOnce() {
    Map<String, String> many = new TreeMap<>();
    for (int i = 0; i <= RuntimeSettings.MAX_OVERRIDES; i++) {
      many.put("unknown" + i, "1");
    }
    assertThat(fails(here.set(many), Kind.INVALID)).contains("at most 1000 keys");
  }

  @Test
  void shouldLimitTheNumberOfValues() {
    Map<String, String> many = new TreeMap<>();
    for (int i = 0; i < RuntimeSettings.MAX_OVERRIDES; i++) {
      many.put("tenants.t" + i + ".tenantConfig.maxConnections", "1");
    }
    get(here.set(many));
    fails(here.set(Map.of(QUEUE, "5")), Kind.FULL);
    get(here.set(Map.of("tenants.t0.tenantConfig.maxConnections", "2")));
    assertThat(
            Objects.requireNonNull(there.current().tenants().get("t0")).tenant().maxConnections())
        .isEqualTo(2);
  }

  @Test
  void shouldLimitTheSizeOfTheRecord() {
    Map<String, String> large = new TreeMap<>();
    for (int i = 0; i < 600; i++) {
      large.put("tenants.t" + i + "\u00fc".repeat(450) + ".tenantConfig.maxConnections", "1");
    }
    assertThat(fails(here.set(large), Kind.FULL)).contains("at most 524288 bytes");
  }

  @Test
  void shouldKeepItsValuesIfItCannotReadTheStoredOnes() {
    get(here.set(Map.of(QUEUE, "5")));
    records.put(StoredOverrides.KEY, new byte[] {2});
    assertThat(queue(here)).isEqualTo(5);
    assertThat(fails(here.set(Map.of(QUEUE, "6")), Kind.UNAVAILABLE)).contains("newer version");
  }

  @Test
  void shouldReportThatTheMetadataIsNotAvailable() {
    records.writer =
        batch ->
            CompletableFuture.failedFuture(
                new ConsensusException(ConsensusException.Kind.CLOSED, "gone"));
    fails(here.set(Map.of(QUEUE, "5")), Kind.UNAVAILABLE);
  }
}
