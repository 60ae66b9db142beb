package io.fjordmq.range.kv;

import io.fjordmq.cluster.UseGate;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps calls out of a closed RocksDB, because using a freed native handle crashes the process. All
 * code that uses a handle runs between {@link #enter} and {@link #leave}.
 */
final class RocksGate {
  private static final Logger LOG = LoggerFactory.getLogger(RocksGate.class);

  private final UseGate gate = new UseGate();

  /**
   * @throws KvException if the storage is closed
   */
  void enter() {
    if (!gate.enter()) {
      throw new KvException(KvException.Kind.CLOSED, "state storage is closed");
    }
  }

  void leave() {
    gate.leave();
  }

  /**
   * Rejects new calls and waits for those in progress.
   *
   * @return false if the gate was already shut, or if calls are still in progress after the
   *     timeout; then the native handles must not be freed
   */
  boolean shut(Duration timeout) {
    if (gate.isShut()) {
      return false;
    }
    boolean empty = gate.shut(timeout);
    if (!empty) {
      LOG.error(
          "Not closing state storage: calls did not return within {} s calls={}",
          timeout.toSeconds(),
          gate.threadsInside());
    }
    return empty;
  }
}
