package io.fjordmq.cluster.consensus.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heartbeats of several groups that have arrived together, to be handled by one worker instead of
 * one per group.
 *
 * <p>A heartbeat must not overtake an earlier request of its group, because it would name a log
 * entry that the follower has not received yet. So a heartbeat whose own worker is busy is not
 * added. A later request may overtake the heartbeat: the named entry still exists then. If one
 * group blocks its handler because it waits for the disk, the heartbeats behind it are late once.
 * The next ones go to other workers, unless the blocked worker is their own.
 *
 * <p>Confined to the event loop of its connection.
 */
final class HeartbeatBatch {
  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatBatch.class);

  private List<Runnable> handlers = new ArrayList<>();
  private @Nullable OrderedWorker worker;

  /**
   * Adds the heartbeat unless its worker has to finish other requests first.
   *
   * @param own the worker that handles the other requests of the heartbeat's group
   * @return false if the heartbeat was not added
   */
  boolean add(OrderedWorker own, Runnable handler) {
    if (!own.isIdle()) {
      return false;
    }
    if (worker == null) {
      worker = own;
    }
    handlers.add(handler);
    return true;
  }

  /**
   * Passes all added heartbeats to a worker and empties the batch.
   *
   * @throws RejectedExecutionException if the worker has too many requests or has been closed; the
   *     heartbeats are dropped
   */
  void execute() {
    OrderedWorker chosen = worker;
    if (chosen == null) {
      return;
    }
    List<Runnable> batch = handlers;
    handlers = new ArrayList<>();
    worker = null;
    chosen.execute(() -> batch.forEach(HeartbeatBatch::run));
  }

  private static void run(Runnable handler) {
    try {
      handler.run();
    } catch (RuntimeException e) { // the other heartbeats have to be handled as well
      LOG.error("Failed to handle a Raft heartbeat; please report this bug", e);
    }
  }
}
