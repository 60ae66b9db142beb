package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Node;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.GroupId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the jraft nodes of one host, each within a limited time: jraft itself would wait forever if
 * a call to the state or the disk never returns, or if a thread has died while holding a jraft
 * lock. The remaining threads are harmless: closed databases reject calls, and are not freed while
 * a call is in progress. However, the group must not be reopened or destroyed before these threads
 * have ended, because they could still write. Thread-safe.
 */
final class NodeShutdowns {
  private static final Logger LOG = LoggerFactory.getLogger(NodeShutdowns.class);

  private final Duration timeout;
  private final Set<GroupId> unfinished = ConcurrentHashMap.newKeySet();

  NodeShutdowns(Duration timeout) {
    this.timeout = timeout;
  }

  Duration timeout() {
    return timeout;
  }

  /**
   * Shuts the node down and waits for its threads. Must not be called from one of them.
   *
   * @return false if some threads still ran after the timeout; then the group stays unusable until
   *     they end
   */
  boolean shutDown(GroupId group, Node node) {
    unfinished.add(group);
    CountDownLatch ended = new CountDownLatch(1);
    Thread closing =
        new Thread(
            () -> {
              node.shutdown();
              joinUninterruptibly(node);
              unfinished.remove(group);
              ended.countDown();
            },
            "raft-close-" + group);
    closing.setDaemon(true);
    closing.start();
    if (awaitUninterruptibly(ended)) {
      return true;
    }
    LOG.warn(
        "Raft threads of a group did not stop within {} s: a call to its state machine or to the "
            + "disk has not returned; the replica stays closed until they stop; restart the node "
            + "unless it is shutting down group={}",
        timeout.toSeconds(),
        group);
    return false;
  }

  /**
   * Keeps waiting when interrupted, because the caller then closes resources that the node uses.
   */
  private boolean awaitUninterruptibly(CountDownLatch latch) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return latch.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void joinUninterruptibly(Node node) {
    while (true) {
      try {
        node.join();
        return;
      } catch (InterruptedException e) {
        LOG.debug("Interrupted while closing a Raft group; still waiting", e);
      }
    }
  }

  /**
   * @throws ConsensusException if threads of an earlier replica of the group still run
   */
  void requireEnded(GroupId group) {
    if (unfinished.contains(group)) {
      throw new ConsensusException(
          Kind.FAILED,
          ("threads of the closed replica of group %s are still running; restart the node if this"
                  + " persists")
              .formatted(group));
    }
  }
}
