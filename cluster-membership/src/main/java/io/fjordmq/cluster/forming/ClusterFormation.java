package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.peer.AddressCalls;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.common.Timers;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a cluster for an empty node, or founds one together with other empty nodes (decision 0099).
 *
 * <p>In every round, the node contacts all addresses that it knows. If it sees enough waiting nodes
 * and has the lowest id, it proposes itself as the founder, and founds the cluster if enough nodes
 * promise. A node stores what it promises before it says so, and has at most one promise that
 * holds, so two proposals cannot both succeed.
 *
 * <p>Everything runs on the thread of the timers, which also writes to the store and is blocked
 * meanwhile; it must not do anything else.
 */
final class ClusterFormation {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterFormation.class);
  private static final long REPORT_MILLIS = 30_000;

  private final FormationOptions options;
  private final Environment environment;
  private final WaitingCalls calls;
  private final Timers timers;
  private final Consumer<String> progress;
  private final long process;
  private final CompletableFuture<FormationOutcome> outcome = new CompletableFuture<>();
  private final Set<NodeAddress> learned = new LinkedHashSet<>();
  private List<NodeAddress> reached = List.of();
  private @Nullable FormingState state;
  private Set<NodeId> reportedNodes = Set.of();
  private long reportedMillis;

  /**
   * The dependencies of a waiting node.
   *
   * @param seeds looks up the seeds; may complete on any thread
   * @param random also generates the ids of the node and of its cluster
   */
  record Environment(
      Supplier<CompletableFuture<List<NodeAddress>>> seeds,
      HelloClient hellos,
      AddressCalls calls,
      FormingStore store,
      InstantSource wallClock,
      RandomGenerator random) {}

  /**
   * @param progress receives a description for operators of what the node waits for
   */
  ClusterFormation(
      FormationOptions options, Environment environment, Timers timers, Consumer<String> progress) {
    this.options = options;
    this.environment = environment;
    this.calls = new WaitingCalls(environment.calls);
    this.timers = timers;
    this.progress = progress;
    this.process = environment.random.nextLong();
  }

  /** Starts the rounds. Must be called once, before {@link #handle}. */
  void begin() {
    timers.execute(() -> orFail(this::open));
  }

  /**
   * Completes when this node has a cluster or has founded one. Fails with an IOException if its
   * state cannot be read or written.
   */
  CompletableFuture<FormationOutcome> outcome() {
    return outcome;
  }

  /** Something that reads or writes the stored state. */
  private interface Step {
    void run() throws IOException;
  }

  private void orFail(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      outcome.completeExceptionally(e);
    }
  }

  private void open() throws IOException {
    FormingState stored = environment.store.load().orElse(null);
    if (stored == null) {
      stored = FormingState.of(NodeIdentity.random(environment.random).node());
    }
    if (stored.clusterId() != null) {
      found(stored, stored.clusterId());
      return;
    }
    // A proposal of the previous process has failed: nobody counts its promises anymore.
    save(stored.withNextNumber());
    startRound();
  }

  private void save(FormingState next) throws IOException {
    environment.store.save(next);
    state = next;
  }

  private FormingState state() {
    return Objects.requireNonNull(state, "the state is loaded first");
  }

  private WaitingNode describe() {
    FormingState current = state();
    return new WaitingNode(
        current.node(),
        process,
        options.address(),
        options.env(),
        options.expectNodes(),
        current.number(),
        current.promise(),
        reached);
  }

  private void startRound() {
    environment
        .seeds
        .get()
        .whenCompleteAsync(
            (seeds, failure) -> orFail(() -> contact(failure == null ? seeds : List.of())), timers);
  }

  private void contact(List<NodeAddress> seeds) {
    Set<NodeAddress> targets = new LinkedHashSet<>(seeds);
    targets.addAll(learned);
    targets.remove(options.address());
    learned.clear();
    Round.contact(
            targets,
            new FormationRequest(describe(), false),
            environment.hellos,
            calls,
            options.timeout(),
            environment.wallClock.millis())
        .thenAcceptAsync(round -> orFail(() -> onRound(round, seeds)), timers);
  }

  private void onRound(Round round, Collection<NodeAddress> seeds) throws IOException {
    if (outcome.isDone()) {
      return;
    }
    if (!round.members().isEmpty()) {
      progress.accept("joining a cluster");
      outcome.complete(
          new FormationOutcome.Found(state().node(), round.members(), round.sentMillis()));
      return;
    }
    SeenNodes seen = new SeenNodes(describe(), round, seeds);
    Promise promise = state().promise();
    if (promise != null && seen.isVoid(promise)) {
      save(state().withoutPromise());
      seen = new SeenNodes(describe(), round, seeds);
    }
    reached = seen.reached();
    learned.addAll(reached);
    seen.reachedByOthers().limit(WaitingNode.MAX_REACHED).forEach(learned::add);
    report(seen);
    if (seen.isProposer()) {
      propose(seen);
    } else {
      timers.schedule(options.interval().toMillis(), this::startRound);
    }
  }

  private void report(SeenNodes seen) {
    String text = seen.describe();
    progress.accept(text);
    long now = timers.nowMillis();
    if (!seen.counted().equals(reportedNodes)) {
      LOG.info("Not in a cluster yet: {}", text);
    } else if (now - reportedMillis >= REPORT_MILLIS) {
      LOG.warn("Still not in a cluster: {}", text);
    } else {
      return;
    }
    reportedNodes = seen.counted();
    reportedMillis = now;
  }

  private void propose(SeenNodes seen) throws IOException {
    save(state().withNextNumber());
    long number = state().number();
    FormationRequest proposal = new FormationRequest(describe(), true);
    List<CompletableFuture<Optional<WaitingNode>>> pending = new ArrayList<>();
    for (SeenNodes.Seen other : seen.available()) {
      pending.add(
          calls
              .ask(other.at(), proposal, options.timeout())
              .handle((response, failure) -> Optional.ofNullable(response)));
    }
    CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new))
        .thenRunAsync(
            () ->
                orFail(
                    () ->
                        onResponses(
                            number, seen, pending.stream().map(CompletableFuture::join).toList())),
            timers);
  }

  private void onResponses(long number, SeenNodes seen, List<Optional<WaitingNode>> responses)
      throws IOException {
    FormingState current = state();
    if (outcome.isDone()) {
      return;
    }
    if (current.number() == number && countPromises(number, responses) >= seen.required()) {
      found(current, NodeIdentity.random(environment.random).clusterId());
      return;
    }
    if (current.number() == number) {
      save(current.withNextNumber()); // releases those that have promised
    }
    long pause = options.interval().toMillis();
    LOG.info(
        "Proposal to create the cluster failed; retrying promises={} required={}",
        countPromises(number, responses),
        seen.required());
    timers.schedule(pause + environment.random.nextLong(2 * pause + 1), this::startRound);
  }

  /** Counts the nodes that have promised, including this one. */
  private int countPromises(long number, List<Optional<WaitingNode>> responses) {
    Set<NodeId> promised = new LinkedHashSet<>();
    promised.add(state().node());
    for (Optional<WaitingNode> response : responses) {
      response
          .filter(other -> other.hasPromised(state().node(), number))
          .ifPresent(other -> promised.add(other.node()));
    }
    return promised.size();
  }

  /** The moment at which the cluster exists is when its id is stored. */
  private void found(FormingState current, String clusterId) throws IOException {
    save(current.withCluster(clusterId));
    progress.accept("creating a cluster");
    LOG.info("Creating the cluster node={} cluster={}", current.node(), clusterId);
    outcome.complete(new FormationOutcome.Founded(new NodeIdentity(current.node(), clusterId)));
  }

  /**
   * Handles the request of another waiting node. Thread-safe.
   *
   * @return the response; fails if this node does not wait anymore
   * @throws io.fjordmq.common.MalformedBytesException if the request is invalid
   */
  CompletableFuture<byte[]> handle(byte[] request) {
    FormationRequest decoded = FormationRequest.decode(request);
    CompletableFuture<byte[]> response = new CompletableFuture<>();
    timers.execute(() -> orFail(() -> respond(decoded, response)));
    return response;
  }

  private void respond(FormationRequest request, CompletableFuture<byte[]> response)
      throws IOException {
    if (state == null || outcome.isDone()) {
      response.completeExceptionally(
          new IllegalStateException(
              options.address() + " is no longer waiting for a cluster; it is starting"));
      return;
    }
    WaitingNode sender = request.sender();
    if (learned.size() < WaitingNode.MAX_REACHED) {
      learned.add(sender.address());
    }
    if (request.isProposal() && mayPromise(sender)) {
      save(state().withPromise(new Promise(sender.node(), sender.number())));
    }
    response.complete(describe().encode());
  }

  private boolean mayPromise(WaitingNode proposer) {
    Promise promise = state().promise();
    boolean isNext =
        promise == null
            || (promise.proposer().equals(proposer.node()) && promise.number() < proposer.number());
    return isNext
        && proposer.env().equals(options.env())
        && proposer.expectNodes() == options.expectNodes()
        && SeenNodes.isBefore(proposer.node(), state().node());
  }
}
