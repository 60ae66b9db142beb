package io.fjordmq.inbox.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.api.Qos;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxKeys;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.SweepQuery;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.RangeSimSettings;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
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
 * A QoS 2 publisher and a QoS 2 subscriber with a persistent session, on one and on three nodes,
 * while messages between nodes are lost, duplicated and delayed, nodes crash and lose unsynced
 * writes, leaders change, and the subscriber's connection breaks in any state: every acknowledged
 * message arrives once and in order. Meanwhile a guest connects repeatedly: its inbox is attached
 * only while it is connected, and detached in the end. {@link Seeds} sets the number of runs.
 */
class InboxSimulationTest {
  private static final int DEFAULT_SEEDS = 60;
  private static final int ROUNDS = 30;
  private static final long TIMEOUT_MILLIS = 60_000;
  private static final InboxId ID = new InboxId("t", "subscriber");
  private static final InboxId GUEST_INBOX = new InboxId("t", "visitor");
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  /** Short deadlines, so that callers have to repeat their calls. */
  private static final RangeClientSettings SHORT_DEADLINE = withDeadline(Duration.ofMillis(250));

  private static final RangeClientSettings LONG_DEADLINE = withDeadline(Duration.ofSeconds(10));

  private static RangeClientSettings withDeadline(Duration deadline) {
    return RecordBuilder.from(RangeSimSettings.CLIENT)
        .with(RangeClientSettings::maxCommandBytes, 10_000)
        .with(RangeClientSettings::maxBatchCommands, 20)
        .with(RangeClientSettings::maxBatchResponseBytes, 100)
        .with(RangeClientSettings::maxQueuedCommands, 100)
        .with(RangeClientSettings::maxQueuedBytes, 100_000)
        .with(RangeClientSettings::maxQueries, 20)
        .with(RangeClientSettings::deadline, deadline)
        .with(RangeClientSettings::attemptTimeout, Duration.ofMillis(100))
        .with(RangeClientSettings::reregisterAfter, Duration.ofMillis(1_000))
        .build();
  }

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  /** Intentional crashes are not worth a log line. */
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
  void shouldDeliverEverythingAcknowledgedOnceAndInOrder(int voters) {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    AtomicLong delivered = new AtomicLong();
    AtomicLong unknownOutcomes = new AtomicLong();
    seeds.run(
        seed -> {
          Run run = new Run(seed, voters, directory.resolve("installs-" + seed), true);
          delivered.addAndGet(run.execute());
          unknownOutcomes.addAndGet(run.unknownOutcomes());
        });
    if (seeds.areEnough()) {
      assertThat(unknownOutcomes.get())
          .as("attaches of unknown outcome")
          .isGreaterThan(seeds.count());
      assertThat(delivered.get()).as("messages delivered in all runs").isGreaterThan(seeds.count());
    }
  }

  @Test
  void shouldDetectAPublisherThatRepeatsUnderNewIds() {
    AssertionError found =
        Seeds.find(
            "repeats under new ids",
            20,
            seed -> new Run(seed, 3, directory.resolve("forgetful-" + seed), false).execute());
    assertThat(found).hasMessageContaining("received in this order");
  }

  /** Runs one seed. */
  private static final class Run {
    private final boolean publisherReusesIds;
    private final Simulation simulation;
    private final SimCluster cluster;
    private final List<NodeId> nodes = new ArrayList<>();
    private final SimStore store;
    private final SimSubscriber.Client client = new SimSubscriber.Client();
    private @Nullable SimGuest guest;
    private int connections;
    private NodeId connection = new NodeId("connection0");

    Run(long seed, int voters, Path installs, boolean publisherReusesIds) {
      this.publisherReusesIds = publisherReusesIds;
      simulation = new Simulation(seed);
      cluster = new SimCluster(simulation);
      IntStream.range(0, voters).forEach(i -> nodes.add(new NodeId("node" + i)));
      store =
          new SimStore(
              cluster,
              nodes,
              installs,
              node ->
                  new InboxReplicas(settings(), new RecordingListener(), InboxObserver.NONE)
                      .spec());
      simulation.afterEveryEvent(this::assertOnceAndInOrder);
    }

    private static InboxSettings settings() {
      return TestInboxes.settings(InboxLimits.DEFAULT, Duration.ofMillis(200));
    }

    int unknownOutcomes() {
      return guest == null ? 0 : guest.unknownOutcomes();
    }

    long execute() throws IOException {
      try (cluster) {
        for (NodeId node : nodes) {
          store.start(node);
        }
        InboxHandle handle = firstAttach();
        cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
        SimProcess publishing = cluster.start(new NodeId("publisher")).process();
        InboxTarget target =
            new InboxTarget(ID, handle.incarnation(), Qos.EXACTLY_ONCE, false, List.of());
        SimPublisher publisher =
            new SimPublisher(
                publishing, inboxes(publishing, SHORT_DEADLINE), target, publisherReusesIds);
        reconnect();
        SimProcess guestProcess = cluster.start(new NodeId("visitor")).process();
        SimGuest guest =
            new SimGuest(guestProcess, inboxes(guestProcess, SHORT_DEADLINE), GUEST_INBOX);
        this.guest = guest;
        guest.connect();
        for (int round = 0; round < ROUNDS; round++) {
          injectFault();
          simulation.run(simulation.between(1, 150));
        }
        guest.stop();
        endFailures(publisher);
        assertDetached(guest);
        return client.receivedNumbers.size();
      }
    }

    private InboxHandle firstAttach() {
      SimProcess process = cluster.start(connection).process();
      List<Attachment> found = new ArrayList<>();
      inboxes(process, LONG_DEADLINE)
          .attach(ID, new AttachRequest(true, "first", 1, 3_600, null))
          .thenAccept(found::add);
      simulation.runUntil("the session exists", () -> !found.isEmpty(), TIMEOUT_MILLIS);
      return found.get(0).handle();
    }

    private InboxStore inboxes(SimProcess process, RangeClientSettings clientSettings) {
      InboxReplicas none =
          new InboxReplicas(settings(), new RecordingListener(), InboxObserver.NONE);
      return new ReplicatedInboxStore(
          store.client(process, clientSettings),
          none,
          range -> false,
          settings(),
          SimStore.timers(process),
          simulation.clock(),
          InboxObserver.NONE);
    }

    /** The subscriber's connection breaks at a random moment, and another one takes over. */
    private void reconnect() {
      cluster.crash(connection);
      connection = new NodeId("connection" + ++connections);
      SimProcess process = cluster.start(connection).process();
      new SimSubscriber(process, inboxes(process, SHORT_DEADLINE), ID, client).start();
    }

    private void injectFault() throws IOException {
      NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
      if (!store.isUp(node)) {
        if (simulation.chance(60)) {
          store.start(node);
        }
      } else if (simulation.chance(15)) {
        store.crash(node);
      }
      if (simulation.chance(10)) {
        cluster.network().partition(nodes, List.of(node));
      } else if (simulation.chance(40)) {
        cluster.network().heal();
      }
      if (simulation.chance(20)) {
        reconnect();
      }
      if (store.isUp(node) && simulation.chance(10)) {
        // Directly before the inbox, directly behind it, or anywhere: the inbox moves to a new
        // range or stays.
        int bucket = ID.bucket();
        long cut =
            simulation.chance(60) ? bucket + simulation.between(0, 1) : simulation.between(1, 4095);
        store.split(node, InboxKeys.bucketStart((int) cut));
      }
    }

    private void endFailures(SimPublisher publisher) throws IOException {
      cluster.network().heal();
      cluster.network().setFaults(SimNetwork.Faults.NONE);
      for (NodeId node : nodes) {
        if (!store.isUp(node)) {
          store.start(node);
        }
      }
      publisher.stop();
      simulation.runUntil("the publisher is acknowledged", publisher::isDone, TIMEOUT_MILLIS);
      List<Integer> acknowledged = publisher.acknowledged();
      simulation.runUntil(
          "all of " + acknowledged.size() + " arrive",
          () -> client.receivedNumbers.size() >= acknowledged.size(),
          TIMEOUT_MILLIS);
      simulation.run(2_000);
      assertThat(client.receivedNumbers).as("seed %s", simulation.seed()).isEqualTo(acknowledged);
    }

    /**
     * Once all ranges respond again, the guest's inbox is detached, for any outcome of its calls.
     */
    private void assertDetached(SimGuest guest) {
      simulation.runUntil("the guest disconnects", () -> !guest.isConnected(), TIMEOUT_MILLIS);
      SimProcess process = cluster.start(new NodeId("inspector")).process();
      RangeClient client = store.client(process, LONG_DEADLINE);
      long end = simulation.clock().millis() + TIMEOUT_MILLIS;
      while (owners(client).contains(guest.owner())) {
        assertThat(simulation.clock().millis())
            .as("seed %s: the guest's inbox is detached", simulation.seed())
            .isLessThan(end);
        simulation.run(200);
      }
    }

    private List<Owner> owners(RangeClient client) {
      CompletableFuture<byte[]> response =
          client.query(GUEST_INBOX.routingKey(), new SweepQuery().encode());
      simulation.runUntil("the range responds", response::isDone, TIMEOUT_MILLIS);
      return SweepQuery.decodeResponse(response.join()).owners();
    }

    /** The messages so far are 0, 1, 2, … */
    private void assertOnceAndInOrder() {
      int count = client.receivedNumbers.size();
      if (count > 0 && client.receivedNumbers.get(count - 1) != count - 1) {
        throw new AssertionError(
            "seed " + simulation.seed() + ": received in this order: " + client.receivedNumbers);
      }
    }
  }
}
