package io.fjordmq.retain.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.sim.WriteHistory.Write;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import io.fjordmq.retain.client.ExpectedRetained.RetainedValue;
import io.fjordmq.retain.client.ExpectedRetained.Scan;
import io.fjordmq.retain.client.ExpectedRetained.TopicOf;
import io.fjordmq.testing.Simulation;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one process of a node: it puts and clears its own retained messages and scans
 * all.
 */
final class SimRetaining {
  private static final List<String> TENANTS = List.of("t", "t", "t", "u");

  /** Every node writes to its own topics: {@code %s} is the name of the node. */
  private static final List<String> TOPICS =
      List.of("a/%s", "a/%s/b", "b/%s", "%s", "c/d/%s", "$x/%s");

  private static final List<String> FILTERS =
      List.of("#", "a/#", "+/node0", "+/+", "a/+", "b/node0", "$x/#", "a/+/b", "c/d/+");
  private static final long PAUSE_MILLIS = 60;

  private final SimProcess process;
  private final Simulation simulation;
  private final RetainStore store;
  private final Limit limit;
  private final ExpectedRetained truth;
  private final Consumer<Runnable> checks;
  private final RetainVersion retainVersion; // each process is a later connection
  private boolean stopped;
  private int waiting;
  private int failures;

  /**
   * The limit on retained messages on the node of this process. While a replica is out of service
   * neither method returns true: it may know of changes that its rows do not contain yet.
   */
  interface Limit {
    /** The limit is reached. */
    boolean isReached();

    /** The number of messages is certainly below the limit. */
    boolean isCertainlyBelow();
  }

  /** A put with the state at the time of the request. */
  private record Requested(
      Write<TopicOf> write, boolean full, boolean roomy, boolean empty, long retainedUntil) {}

  /**
   * @param checks receives the checks to run at the end of the event, because an exception thrown
   *     in a future would be lost
   */
  SimRetaining(
      SimProcess process,
      RetainStore store,
      Limit limit,
      ExpectedRetained truth,
      Consumer<Runnable> checks) {
    this.process = process;
    this.simulation = process.simulation();
    this.store = store;
    this.limit = limit;
    this.truth = truth;
    this.checks = checks;
    this.retainVersion = new RetainVersion(1, 1 + simulation.clock().millis());
  }

  void next() {
    if (stopped) {
      return;
    }
    for (long burst = simulation.between(1, 3); burst > 0; burst--) {
      long kind = simulation.between(1, 10);
      if (kind <= 5) {
        put();
      } else if (kind <= 8) {
        clear();
      } else {
        scan(pick(TENANTS), pick(FILTERS));
      }
    }
    process.schedule(simulation.between(0, PAUSE_MILLIS), this::next);
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1));
  }

  private TopicOf randomTopic() {
    return new TopicOf(pick(TENANTS), pick(TOPICS).formatted(process.node().value()));
  }

  private void put() {
    TopicOf topic = randomTopic();
    long now = simulation.clock().millis();
    long expiresAt = simulation.chance(30) ? now + simulation.between(1, 400) : Message.NEVER;
    // No two writes to a topic have the same payload.
    String payload = topic + "." + truth.history().possibleSince(topic, 0).size();
    write(topic, new RetainedValue(payload, expiresAt));
  }

  private void clear() {
    write(randomTopic(), null);
  }

  private void write(TopicOf topic, @Nullable RetainedValue kept) {
    boolean empty = truth.isCertainlyEmpty(topic);
    long retainedUntil = truth.retainedUntil(topic);
    Write<TopicOf> write = truth.history().begin(topic, kept);
    Requested request =
        new Requested(write, limit.isReached(), limit.isCertainlyBelow(), empty, retainedUntil);
    waiting++;
    store
        .put(topic.tenant(), message(topic, kept), retainVersion)
        .whenComplete((outcome, failure) -> onCompleted(request, outcome, failure));
  }

  private Message message(TopicOf topic, @Nullable RetainedValue kept) {
    return new Message(
        new Topic(topic.topic()),
        kept == null ? new byte[0] : kept.payload().getBytes(UTF_8),
        Qos.AT_LEAST_ONCE,
        true,
        MessageProperties.NONE,
        process.node().value(),
        simulation.clock().millis(),
        kept == null ? Message.NEVER : kept.expiresAtMillis());
  }

  private void onCompleted(
      Requested request, RetainStore.@Nullable PutOutcome outcome, @Nullable Throwable failure) {
    waiting--;
    if (outcome == RetainStore.PutOutcome.REFUSED_FULL) {
      truth.history().refused(request.write);
      checks.accept(() -> assertAtLimit(request));
    } else if (outcome != null) {
      truth.history().acknowledged(request.write);
      if (outcome == RetainStore.PutOutcome.RETAINED) {
        checks.accept(() -> assertBelowLimit(request));
      }
    } else if (failure != null && wasNotSent(failure)) {
      truth.history().refused(request.write);
    } else {
      failures++;
    }
  }

  private void assertBelowLimit(Requested request) {
    if (request.full && request.empty) {
      throw new AssertionError("retained beyond the limit: " + request);
    }
  }

  private void assertAtLimit(Requested request) {
    if (request.roomy || request.retainedUntil > simulation.clock().millis()) {
      throw new AssertionError("rejected although below the limit: " + request);
    }
  }

  private static boolean wasNotSent(Throwable failure) {
    return failure.getCause() instanceof RangeException refusal
        && refusal.kind() == RangeException.Kind.BUSY;
  }

  void scan(String tenant, String filter) {
    waiting++;
    page(truth.begin(tenant, TopicFilter.parse(filter), simulation.clock().millis()), null);
  }

  private void page(Scan scan, byte @Nullable [] cursor) {
    int messages = (int) simulation.between(1, 4);
    int bytes = (int) simulation.between(1, 200);
    store
        .match(scan.tenant, scan.filter, cursor, messages, bytes)
        .whenComplete((page, failure) -> process.execute(() -> onPage(scan, page)));
  }

  private void onPage(Scan scan, RetainStore.@Nullable Page page) {
    if (page == null) {
      waiting--;
      failures++;
      return;
    }
    scan.add(page.messages());
    if (page.cursor() != null) {
      page(scan, page.cursor());
      return;
    }
    waiting--;
    truth.assertFound(scan, simulation.clock().millis());
  }

  /** Starts nothing new. */
  void stopRequests() {
    stopped = true;
  }

  /** One last write and all scans, which must succeed in the fault-free phase. */
  void sendFinalRequests() {
    put();
    FILTERS.forEach(filter -> scan("t", filter));
    scan("u", "#");
  }

  int waiting() {
    return waiting;
  }

  /** Number of requests without a response. */
  int failures() {
    return failures;
  }
}
