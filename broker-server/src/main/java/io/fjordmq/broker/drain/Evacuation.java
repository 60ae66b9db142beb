package io.fjordmq.broker.drain;

import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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

  /** The phase of an evacuation. */
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

  private final Host host;
  private final Duration interval;
  private @Nullable Run run;
  private @Nullable PeriodicTasks steps;

  /** This node. Its methods do not block. */
  interface Host {
    NodeId self();

    Members members();

    /** See {@link ClusterMembership#setDraining}. */
    CompletableFuture<Void> setDraining(boolean draining);

    long ledRanges();

    /** Whether other nodes have had enough time to take over the ranges. */
    boolean isTransferOverdue(long startedNanos);

    long clients();

    /** The configured number of clients to disconnect per second. */
    int clientsPerSecond();

    /** Refuses new clients and tells them which node to use. */
    void refuseClients();

    void acceptClients();

    /** Disconnects some clients. Called after {@link #refuseClients}. */
    void disconnect(int atMost);
  }

  /**
   * @param drain moves leadership and clients
   */
  public Evacuation(ClusterMembership membership, Drain drain) {
    this(
        new Host() {
          @Override
          public NodeId self() {
            return membership.self();
          }

          @Override
          public Members members() {
            return membership.members();
          }

          @Override
          public CompletableFuture<Void> setDraining(boolean draining) {
            return membership.setDraining(draining);
          }

          @Override
          public long ledRanges() {
            return drain.countLedRanges();
          }

          @Override
          public boolean isTransferOverdue(long startedNanos) {
            return drain.isTransferOverdue(startedNanos);
          }

          @Override
          public long clients() {
            return drain.clients();
          }

          @Override
          public int clientsPerSecond() {
            return drain.clientsPerSecond();
          }

          @Override
          public void refuseClients() {
            drain.refuseClients();
          }

          @Override
          public void acceptClients() {
            drain.acceptClients();
          }

          @Override
          public void disconnect(int atMost) {
            drain.disconnect(atMost);
          }
        },
        STEP);
  }

  /**
   * @param interval the time between calls of {@link #step}
   */
  Evacuation(Host host, Duration interval) {
    this.host = host;
    this.interval = interval;
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
    if (!canOthersTakeOver()) {
      return refused(
          "no other node is up to take over the clients; nodes that are evacuated, draining or"
              + " leaving accept none");
    }
    Run begun = new Run(clientsPerSecond == null ? host.clientsPerSecond() : clientsPerSecond);
    run = begun;
    return host.setDraining(true)
        .handle(
            (announced, failure) -> {
              if (failure != null) {
                end(begun);
                host.setDraining(false); // in case the write took effect after all
                throw new IllegalStateException(
                    "the metadata cannot be written; try again: " + failure.getMessage(), failure);
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
      started.every(interval, "evacuation", this::step);
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
    return host.setDraining(false)
        .handle(
            (announced, failure) -> {
              if (failure != null) {
                stopped.isStopping = false;
                throw new IllegalStateException(
                    "the metadata cannot be written; try again: " + failure.getMessage(), failure);
              }
              acceptClients(stopped);
              LOG.info("Evacuation stopped; accepting clients again");
              return "";
            });
  }

  private synchronized void acceptClients(Run stopped) {
    end(stopped);
    host.acceptClients();
  }

  private static CompletableFuture<String> refused(String reason) {
    return CompletableFuture.completedFuture(reason);
  }

  private boolean isLeaving() {
    return state() == Member.State.LEAVING;
  }

  private Member.@Nullable State state() {
    Member self = host.members().find(host.self());
    return self == null ? null : self.state();
  }

  /** Whether another node accepts clients, because the last such node must not be evacuated. */
  private boolean canOthersTakeOver() {
    return host.members().byNode().values().stream()
        .anyMatch(
            member ->
                !member.node().equals(host.self())
                    && member.isCounted()
                    && member.state() != Member.State.DRAINING
                    && member.state() != Member.State.LEAVING);
  }

  /** The progress of the evacuation. */
  public Status status() {
    Run current;
    synchronized (this) {
      current = run;
    }
    long clients = host.clients();
    State state =
        current == null
            ? State.DISABLED
            : !current.isEvicting
                ? State.TRANSFERRING_LEADERSHIP
                : clients > 0 ? State.EVICTING_CONNS : State.PROHIBITING;
    int rate = current == null ? host.clientsPerSecond() : current.rate;
    return new Status(state, rate, clients, host.ledRanges());
  }

  void step() {
    Run current;
    synchronized (this) {
      current = run;
      if (current == null || current.isStopping) {
        return;
      }
      announceAgainAfterRestart();
    }
    if (!current.isEvicting) {
      boolean isLeading = host.ledRanges() > 0 && !host.isTransferOverdue(current.startedNanos);
      if (isLeading || !canOthersTakeOver()) {
        return;
      }
    }
    evict(current);
  }

  /** Under the lock, because the evacuation may be stopped meanwhile: clients must then stay. */
  private synchronized void evict(Run current) {
    if (run != current || current.isStopping) {
      return;
    }
    if (!current.isEvicting) {
      host.refuseClients();
      current.isEvicting = true;
    }
    long now = System.nanoTime() / 1_000_000;
    current.limiter.begin(now);
    host.disconnect(current.limiter.due(now));
  }

  /** After the cluster has marked this node down, the node becomes UP again automatically. */
  private void announceAgainAfterRestart() {
    Member.State state = state();
    if (state == Member.State.UP || state == Member.State.FULL || state == Member.State.SLOW) {
      host.setDraining(true)
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
