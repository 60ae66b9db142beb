package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.api.Qos;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.Seeds;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.SimStore;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * A QoS 2 publisher and a QoS 2 subscriber with a persistent session, on one and on three nodes,
 * while messages between them get lost, doubled and late, nodes crash and lose unsynced writes,
 * leaders change, and the subscriber's connection dies in any state: everything acknowledged
 * arrives once and in order. Meanwhile a visitor comes and goes: its inbox is its own while it is
 * there, and nobody's in the end. {@link Seeds} says how many runs.
 */
class InboxSimulationTest {
  private static final int USUAL_SEEDS = 60;
  private static final int ROUNDS = 30;
  private static final long PATIENCE_MILLIS = 60_000;
  private static final InboxId ID = new InboxId("t", "subscriber");
  private static final InboxId VISITED = new InboxId("t", "visitor");
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  /** Gives up soon, so that its callers have to repeat what they want. */
  private static final RangeClientSettings HASTY = patience(Duration.ofMillis(250));

  private static final RangeClientSettings PATIENT = patience(Duration.ofSeconds(10));

  private static RangeClientSettings patience(Duration deadline) {
    return new RangeClientSettings(
        10_000,
        4_000,
        20,
        100,
        Duration.ofMillis(4),
        3,
        100,
        100_000,
        20,
        deadline,
        Duration.ofMillis(100),
        Duration.ofMillis(5),
        Duration.ofMillis(100),
        Duration.ofMillis(1_000));
  }

  @TempDir Path directory;

  /** Crashes on purpose are not worth a log. */
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
  void shouldDeliverEverythingAcknowledgedOnceAndInOrder(int voters) {
    Seeds seeds = Seeds.usually(USUAL_SEEDS);
    AtomicLong delivered = new AtomicLong();
    AtomicLong unheard = new AtomicLong();
    seeds.play(
        seed -> {
          Run run = new Run(seed, voters, directory.resolve("installs-" + seed), true);
          delivered.addAndGet(run.play());
          unheard.addAndGet(run.unheard());
        });
    if (seeds.areEnough()) {
      assertThat(unheard.get()).as("attaches that nobody heard of").isGreaterThan(seeds.count());
      assertThat(delivered.get()).as("messages delivered in all runs").isGreaterThan(seeds.count());
    }
  }

  @Test
  void shouldFindAPublisherThatRepeatsUnderNewIds() {
    AssertionError found =
        Seeds.find(
            "repeats under new ids",
            20,
            seed -> new Run(seed, 3, directory.resolve("forgetful-" + seed), false).play());
    assertThat(found).hasMessageContaining("received in this order");
  }

  /** One seed's run. */
  private static final class Run {
    private final boolean publisherRemembers;
    private final Simulation simulation;
    private final SimCluster cluster;
    private final List<NodeId> nodes = new ArrayList<>();
    private final SimStore store;
    private final SimSubscriber.Client client = new SimSubscriber.Client();
    private @Nullable SimVisitor visitor;
    private int connections;
    private NodeId connection = new NodeId("connection0");

    Run(long seed, int voters, Path installs, boolean publisherRemembers) {
      this.publisherRemembers = publisherRemembers;
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

    int unheard() {
      return visitor == null ? 0 : visitor.unheard();
    }

    long play() throws IOException {
      try (cluster) {
        for (NodeId node : nodes) {
          store.start(node);
        }
        InboxHandle handle = firstAttach();
        cluster.network().setFaults(SimNetwork.Faults.ROUGH);
        SimProcess publishing = cluster.start(new NodeId("publisher")).process();
        InboxTarget target =
            new InboxTarget(ID, handle.incarnation(), Qos.EXACTLY_ONCE, false, List.of());
        SimPublisher publisher =
            new SimPublisher(publishing, inboxes(publishing, HASTY), target, publisherRemembers);
        reconnect();
        SimProcess visiting = cluster.start(new NodeId("visitor")).process();
        SimVisitor guest = new SimVisitor(visiting, inboxes(visiting, HASTY), VISITED);
        visitor = guest;
        guest.visit();
        for (int round = 0; round < ROUNDS; round++) {
          trouble();
          simulation.run(simulation.between(1, 150));
        }
        guest.rest();
        peace(publisher);
        assertLeft(guest);
        return client.received.size();
      }
    }

    private InboxHandle firstAttach() {
      SimProcess process = cluster.start(connection).process();
      List<Attachment> found = new ArrayList<>();
      inboxes(process, PATIENT)
          .attach(ID, new AttachRequest(true, "first", 1, 3_600, null))
          .thenAccept(found::add);
      simulation.runUntil("the session is made", () -> !found.isEmpty(), PATIENCE_MILLIS);
      return found.get(0).handle();
    }

    private InboxStore inboxes(SimProcess process, RangeClientSettings patience) {
      InboxReplicas none =
          new InboxReplicas(settings(), new RecordingListener(), InboxObserver.NONE);
      return new ReplicatedInboxStore(
          store.client(process, patience),
          none,
          range -> false,
          settings(),
          SimStore.timers(process),
          simulation.clock(),
          InboxObserver.NONE);
    }

    /** The subscriber's connection dies in whatever it is doing, and another takes over. */
    private void reconnect() {
      cluster.crash(connection);
      connection = new NodeId("connection" + ++connections);
      SimProcess process = cluster.start(connection).process();
      new SimSubscriber(process, inboxes(process, HASTY), ID, client).start();
    }

    private void trouble() throws IOException {
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
        // Just before the inbox, just behind it, or anywhere: it moves to a new range or stays.
        int bucket = InboxKeys.bucket(ID);
        long cut =
            simulation.chance(60) ? bucket + simulation.between(0, 1) : simulation.between(1, 4095);
        store.split(node, InboxKeys.bucketStart((int) cut));
      }
    }

    private void peace(SimPublisher publisher) throws IOException {
      cluster.network().heal();
      cluster.network().setFaults(SimNetwork.Faults.NONE);
      for (NodeId node : nodes) {
        if (!store.isUp(node)) {
          store.start(node);
        }
      }
      publisher.rest();
      simulation.runUntil("the publisher is told", publisher::isDone, PATIENCE_MILLIS);
      List<Integer> acknowledged = publisher.acknowledged();
      simulation.runUntil(
          "all of " + acknowledged.size() + " arrive",
          () -> client.received.size() >= acknowledged.size(),
          PATIENCE_MILLIS);
      simulation.run(2_000);
      assertThat(client.received).as("seed %s", simulation.seed()).isEqualTo(acknowledged);
    }

    /**
     * Once everything answers again, the visitor's inbox is given back whatever was heard of it.
     */
    private void assertLeft(SimVisitor guest) {
      simulation.runUntil("the visitor leaves", () -> !guest.isHere(), PATIENCE_MILLIS);
      SimProcess process = cluster.start(new NodeId("inspector")).process();
      RangeClient client = store.client(process, PATIENT);
      long end = simulation.clock().millis() + PATIENCE_MILLIS;
      while (owners(client).contains(guest.owner())) {
        assertThat(simulation.clock().millis())
            .as("seed %s: the visitor's inbox is given back", simulation.seed())
            .isLessThan(end);
        simulation.run(200);
      }
    }

    private List<Owner> owners(RangeClient client) {
      CompletableFuture<byte[]> answer =
          client.query(InboxKeys.routing(VISITED), new SweepQuery().encode());
      simulation.runUntil("the range answers", answer::isDone, PATIENCE_MILLIS);
      return SweepQuery.decodeAnswer(answer.join()).owners();
    }

    /** What has arrived so far is 0, 1, 2, … */
    private void assertOnceAndInOrder() {
      int count = client.received.size();
      if (count > 0 && client.received.get(count - 1) != count - 1) {
        throw new AssertionError(
            "seed " + simulation.seed() + ": received in this order: " + client.received);
      }
    }
  }
}
