package io.fjordmq.broker.drain;

import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.config.DrainConfig;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains a node that is about to stop. It first hands over the ranges that the node leads, so that
 * no client has to wait for an election, and then disconnects the node's clients at a limited rate.
 * Runs on the thread that stops the node, and blocks.
 */
public final class Drain {
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int STEPS_PER_SECOND = 10;
  private static final long WRITE_SECONDS = 5;

  /** Extra time for clients that do not disconnect immediately. */
  private static final long EXTRA_SECONDS = 10;

  private final ClusterMembership membership;
  private final Stores stores;
  private final Sessions sessions;
  private final ServerReferences references;
  private final Supplier<DrainConfig> settings;

  /**
   * @param settings supplies the current settings
   */
  public Drain(
      ClusterMembership membership,
      Stores stores,
      Sessions sessions,
      ServerReferences references,
      Supplier<DrainConfig> settings) {
    this.membership = membership;
    this.stores = stores;
    this.sessions = sessions;
    this.references = references;
    this.settings = settings;
  }

  /**
   * Drains the node. Returns when the node is drained as far as possible or the time limit is
   * reached.
   */
  public void run() {
    if (membership.members().counted().size() < 2) {
      LOG.warn("No other live node; stopping without draining");
      return;
    }
    LOG.info(
        "Draining: moving leadership and clients to other nodes ledRanges={} clients={}",
        countLedRanges(),
        sessions.size());
    if (!announce()) {
      return;
    }
    transferLeadership();
    disconnectClients();
    LOG.info("Drain finished ledRanges={} clients={}", countLedRanges(), sessions.size());
  }

  private boolean announce() {
    try {
      membership.setDraining(true).get(WRITE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("Could not notify the cluster; stopping without draining: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private void transferLeadership() {
    long start = System.nanoTime();
    while (countLedRanges() > 0 && !isTransferOverdue(start) && !Thread.interrupted()) {
      LockSupport.parkNanos(STEP_NANOS);
    }
    if (countLedRanges() > 0) {
      LOG.warn(
          "Stopping while this node still leads ranges; clients of these ranges must wait for an "
              + "election ledRanges={}",
          countLedRanges());
    }
  }

  /**
   * Counts the ranges that this node leads. Another node can take over each of them, because
   * placement adds a voter to any range that has no other.
   */
  long countLedRanges() {
    return stores.ranges().status().stream().filter(ReplicaStatus::leading).count();
  }

  /** Whether other nodes have had enough time to take over the ranges. */
  boolean isTransferOverdue(long startedNanos) {
    return System.nanoTime() - startedNanos > settings.get().leaderTransferTimeout().toNanos();
  }

  /** The number of connected clients. */
  long clients() {
    return sessions.size();
  }

  /** The configured number of clients to disconnect per second. */
  int clientsPerSecond() {
    return settings.get().clientsPerSecond();
  }

  /** Refuses new clients and tells them which node to use. */
  void refuseClients() {
    sessions.startDraining(references.ofOtherNode());
  }

  /** Accepts clients again. */
  void acceptClients() {
    sessions.stopDraining();
  }

  /** Disconnects some clients. Called after {@link #refuseClients}. */
  void disconnect(int atMost) {
    sessions.disconnect(atMost);
  }

  private void disconnectClients() {
    refuseClients();
    long seconds = sessions.size() / clientsPerSecond() + EXTRA_SECONDS;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int batchSize = Math.max(1, clientsPerSecond() / STEPS_PER_SECOND);
    while (sessions.size() > 0 && System.nanoTime() < deadline && !Thread.interrupted()) {
      sessions.disconnect(batchSize);
      LockSupport.parkNanos(STEP_NANOS);
    }
  }
}
