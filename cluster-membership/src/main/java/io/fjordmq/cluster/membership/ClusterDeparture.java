package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.common.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes this node out of its cluster when it stops: marks it DOWN, and removes it if it was
 * decommissioned. Thread-safe; its methods block for a few seconds at most.
 */
final class ClusterDeparture {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDeparture.class);
  private static final long TIMEOUT_MILLIS = 2_000;

  private final LocalNodeRecord record;
  private final FinalStateWriter recorder;
  private final NodeIncarnations incarnations;
  private final ClockWatch clock;
  private final Timers timers;
  private final AtomicBoolean leaveStarted = new AtomicBoolean();
  private volatile boolean removeOnClose;
  private volatile boolean removing;

  ClusterDeparture(
      LocalNodeRecord record, NodeIncarnations incarnations, ClockWatch clock, Timers timers) {
    this.record = record;
    this.recorder = new FinalStateWriter(record::write, timers);
    this.incarnations = incarnations;
    this.clock = clock;
    this.timers = timers;
  }

  /**
   * Makes {@link #removeIfRequested} remove this node if it is LEAVING when {@link #leave} is
   * called.
   */
  void removeOnClose() {
    removeOnClose = true;
  }

  /** Stops serving and marks this node DOWN. Further calls do nothing. */
  void leave() {
    if (leaveStarted.compareAndSet(false, true)) {
      removing = removeOnClose && record.hasState(Member.State.LEAVING);
      CompletableFuture<Void> leaving = CompletableFuture.runAsync(incarnations::leave, timers);
      reportState(leaving.thenRunAsync(clock::save, timers), NodeRecord.State.DOWN);
    }
  }

  /**
   * Removes this node from the cluster if that was requested and the node is LEAVING. Must be
   * called after {@link #leave}.
   */
  void removeIfRequested() {
    if (removing) {
      reportState(CompletableFuture.completedFuture(null), NodeRecord.State.REMOVED);
    }
  }

  private void reportState(CompletableFuture<Void> preceding, NodeRecord.State state) {
    try {
      preceding
          .thenCompose(now -> recorder.write(state, TIMEOUT_MILLIS))
          .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "Stopping without notifying the cluster, which will wait for the lease to expire: {}",
          e.toString());
    }
  }
}
