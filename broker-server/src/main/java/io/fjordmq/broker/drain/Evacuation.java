package io.fjordmq.broker.drain;

import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves leadership and clients off this node while it keeps running, until the evacuation is
 * stopped or the process ends. Thread-safe; nothing blocks.
 */
public final class Evacuation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Evacuation.class);
  private static final Duration STEP = Duration.ofMillis(DisconnectLimiter.STEP_MILLIS);

  /** How far an evacuation is. */
  public enum State {
    /** The node is not evacuated. */
    DISABLED,
    /** Other nodes take over the ranges that this node leads. */
    TRANSFERRING_LEADERSHIP,
    /** The node disconnects its clients and refuses new ones. */
    EVICTING_CONNS,
    /** No clients are left; the node refuses new ones. */
    PROHIBITING
  }

  /**
   * The state of this node.
   *
   * @param clientsPerSecond number of clients that the node disconnects per second
   * @param clients connected clients
   * @param ledRanges ranges that this node leads
   */
  public record Status(State state, int clientsPerSecond, long clients, long ledRanges) {}

  private final ClusterMembership membership;
  private final Drain drain;
  private final IntSupplier configuredRate;
  private @Nullable Run run;
  private @Nullable PeriodicTasks steps;

  /**
   * @param drain moves leadership and clients
   */
  public Evacuation(ClusterMembership membership, Drain drain) {
    this.membership = membership;
    this.drain = drain;
    this.configuredRate = drain::clientsPerSecond;
  }

  /** The state of one evacuation; used by the thread of the steps. */
  private static final class Run {
    private final int rate;
    private final DisconnectLimiter limiter;
    private final long startedNanos = System.nanoTime();
    private volatile boolean isEvicting;
    private volatile boolean isStopping;

    Run(int rate) {
      this.rate = rate;
      this.limiter = new DisconnectLimiter(() -> rate);
    }
  }

  /**
   * Starts the evacuation.
   *
   * @param clientsPerSecond number of clients to disconnect per second, at least 1; null for {@code
   *     drainConfig.clientsPerSecond}
   * @return why the evacuation cannot start; empty if the cluster knows that it has started. Fails
   *     if the metadata cannot be written
   */
  public synchronized CompletableFuture<String> start(@Nullable Integer clientsPerSecond) {
    if (run != null) {
      return refused("the node is already being drained; stop that first");
    }
    if (isLeaving()) {
      return refused("the node is being decommissioned, which also moves its clients");
    }
    if (membership.members().counted().size() < 2) {
      return refused("no other node is up to take over the clients");
    }
    Run begun = new Run(clientsPerSecond == null ? configuredRate.getAsInt() : clientsPerSecond);
    run = begun;
    return membership
        .setDraining(true)
        .handle(
            (announced, failure) -> {
              if (failure != null) {
                end(begun);
                throw new IllegalStateException(
                    "the metadata was not written; try again: " + failure.getMessage(), failure);
              }
              LOG.info("Evacuation started clientsPerSecond={}", begun.rate);
              startSteps();
              return "";
            });
  }

  private synchronized void startSteps() {
    if (steps == null) {
      PeriodicTasks started = new PeriodicTasks("evacuation");
      steps = started;
      started.every(STEP, "evacuation", this::step);
    }
  }

  private synchronized void end(Run ended) {
    if (run == ended) {
      run = null;
    }
  }

  /**
   * Stops the evacuation: the node accepts clients again, and may lead ranges. Clients that have
   * reconnected to other nodes stay there.
   *
   * @return why there is nothing to stop; empty if the cluster knows that the evacuation has ended.
   *     Fails if the metadata cannot be written
   */
  public synchronized CompletableFuture<String> stop() {
    Run stopped = run;
    if (stopped == null) {
      return refused("the node is not being drained");
    }
    if (isLeaving()) {
      return refused("the node is being decommissioned; restart it to keep it in the cluster");
    }
    stopped.isStopping = true;
    return membership
        .setDraining(false)
        .handle(
            (announced, failure) -> {
              if (failure != null) {
                stopped.isStopping = false;
                throw new IllegalStateException(
                    "the metadata was not written; try again: " + failure.getMessage(), failure);
              }
              end(stopped);
              drain.acceptClients();
              LOG.info("Evacuation stopped; accepting clients again");
              return "";
            });
  }

  private static CompletableFuture<String> refused(String reason) {
    return CompletableFuture.completedFuture(reason);
  }

  private boolean isLeaving() {
    return state() == Member.State.LEAVING;
  }

  private Member.@Nullable State state() {
    Member self = membership.members().find(membership.self());
    return self == null ? null : self.state();
  }

  /** How far the evacuation is. */
  public Status status() {
    Run current;
    synchronized (this) {
      current = run;
    }
    long clients = drain.clients();
    State state =
        current == null
            ? State.DISABLED
            : !current.isEvicting
                ? State.TRANSFERRING_LEADERSHIP
                : clients > 0 ? State.EVICTING_CONNS : State.PROHIBITING;
    int rate = current == null ? configuredRate.getAsInt() : current.rate;
    return new Status(state, rate, clients, drain.countLedRanges());
  }

  private void step() {
    Run current;
    synchronized (this) {
      current = run;
    }
    if (current == null || current.isStopping) {
      return;
    }
    announceAgainAfterRestart();
    if (!current.isEvicting) {
      if (drain.countLedRanges() > 0 && !drain.isTransferOverdue(current.startedNanos)) {
        return;
      }
      drain.refuseClients();
      current.isEvicting = true;
    }
    long now = System.nanoTime() / 1_000_000;
    current.limiter.begin(now);
    drain.disconnect(current.limiter.due(now));
  }

  /** After the cluster has marked this node down, the node becomes UP again by itself. */
  private void announceAgainAfterRestart() {
    Member.State state = state();
    if (state == Member.State.UP || state == Member.State.FULL || state == Member.State.SLOW) {
      membership
          .setDraining(true)
          .exceptionally(
              failure -> {
                LOG.debug("Cannot announce the evacuation again; retrying", failure);
                return null;
              });
    }
  }

  @Override
  public void close() {
    PeriodicTasks running;
    synchronized (this) {
      running = steps;
      run = null;
    }
    if (running != null) {
      running.close();
    }
  }
}
