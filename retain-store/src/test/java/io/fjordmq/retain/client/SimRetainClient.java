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
import io.fjordmq.retain.client.ExpectedRetained.TenantTopic;
import io.fjordmq.testing.Simulation;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one process of a node: it puts and clears its own retained messages and scans
 * all.
 */
final class SimRetainClient {
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
  private final ExpectedRetained expectedRetained;
  private final Consumer<Runnable> checks;
  private final RetainVersion retainVersion; // each process is a later connection
  private boolean stopped;
  private int pendingRequests;
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
  private record PutRequest(
      Write<TenantTopic> write,
      boolean limitReached,
      boolean belowLimit,
      boolean certainlyEmpty,
      long retainedUntil) {}

  /**
   * @param checks receives the checks to run at the end of the event, because an exception thrown
   *     in a future would be lost
   */
  SimRetainClient(
      SimProcess process,
      RetainStore store,
      Limit limit,
      ExpectedRetained expectedRetained,
      Consumer<Runnable> checks) {
    this.process = process;
    this.simulation = process.simulation();
    this.store = store;
    this.limit = limit;
    this.expectedRetained = expectedRetained;
    this.checks = checks;
    this.retainVersion = new RetainVersion(1, 1 + simulation.clock().millis());
  }

  void sendNextRequests() {
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
    process.schedule(simulation.between(0, PAUSE_MILLIS), this::sendNextRequests);
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1));
  }

  private TenantTopic randomTopic() {
    return new TenantTopic(pick(TENANTS), pick(TOPICS).formatted(process.node().value()));
  }

  private void put() {
    TenantTopic topic = randomTopic();
    long now = simulation.clock().millis();
    long expiresAt = simulation.chance(30) ? now + simulation.between(1, 400) : Message.NEVER;
    // No two writes to a topic have the same payload.
    String payload = topic + "." + expectedRetained.history().possibleValues(topic, 0).size();
    write(topic, new RetainedValue(payload, expiresAt));
  }

  private void clear() {
    write(randomTopic(), null);
  }

  private void write(TenantTopic topic, @Nullable RetainedValue kept) {
    boolean empty = expectedRetained.isCertainlyEmpty(topic);
    long retainedUntil = expectedRetained.retainedUntil(topic);
    Write<TenantTopic> write = expectedRetained.history().begin(topic, kept);
    PutRequest request =
        new PutRequest(write, limit.isReached(), limit.isCertainlyBelow(), empty, retainedUntil);
    pendingRequests++;
    store
        .put(topic.tenant(), message(topic, kept), retainVersion)
        .whenComplete((outcome, failure) -> onCompleted(request, outcome, failure));
  }

  private Message message(TenantTopic topic, @Nullable RetainedValue kept) {
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
      PutRequest request, RetainStore.@Nullable PutOutcome outcome, @Nullable Throwable failure) {
    pendingRequests--;
    if (outcome == RetainStore.PutOutcome.REFUSED_FULL) {
      expectedRetained.history().onRejected(request.write);
      checks.accept(() -> assertAtLimit(request));
    } else if (outcome != null) {
      expectedRetained.history().onAcknowledged(request.write);
      if (outcome == RetainStore.PutOutcome.RETAINED) {
        checks.accept(() -> assertBelowLimit(request));
      }
    } else if (failure != null && wasNotSent(failure)) {
      expectedRetained.history().onRejected(request.write);
    } else {
      failures++;
    }
  }

  private void assertBelowLimit(PutRequest request) {
    if (request.limitReached && request.certainlyEmpty) {
      throw new AssertionError("retained beyond the limit: " + request);
    }
  }

  private void assertAtLimit(PutRequest request) {
    if (request.belowLimit || request.retainedUntil > simulation.clock().millis()) {
      throw new AssertionError("rejected although below the limit: " + request);
    }
  }

  private static boolean wasNotSent(Throwable failure) {
    return failure.getCause() instanceof RangeException refusal
        && refusal.kind() == RangeException.Kind.BUSY;
  }

  void scan(String tenant, String filter) {
    pendingRequests++;
    fetchPage(
        expectedRetained.begin(tenant, TopicFilter.parse(filter), simulation.clock().millis()),
        null);
  }

  private void fetchPage(Scan scan, byte @Nullable [] cursor) {
    int messages = (int) simulation.between(1, 4);
    int bytes = (int) simulation.between(1, 200);
    store
        .match(scan.tenant, scan.filter, cursor, messages, bytes)
        .whenComplete((page, failure) -> process.execute(() -> onPage(scan, page)));
  }

  private void onPage(Scan scan, RetainStore.@Nullable Page page) {
    if (page == null) {
      pendingRequests--;
      failures++;
      return;
    }
    scan.add(page.messages());
    if (page.cursor() != null) {
      fetchPage(scan, page.cursor());
      return;
    }
    pendingRequests--;
    expectedRetained.assertFound(scan, simulation.clock().millis());
  }

  /** Stops sending new requests. */
  void stopRequests() {
    stopped = true;
  }

  /** Sends a last write and all scans, which must succeed in the fault-free phase. */
  void sendFinalRequests() {
    put();
    FILTERS.forEach(filter -> scan("t", filter));
    scan("u", "#");
  }

  int pendingRequests() {
    return pendingRequests;
  }

  /** Number of requests without a response. */
  int failures() {
    return failures;
  }
}
