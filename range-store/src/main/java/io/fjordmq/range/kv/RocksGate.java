package io.fjordmq.range.kv;

import io.fjordmq.cluster.UseGate;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps calls out of a closed RocksDB: using a freed native handle ends the process. Everything
 * that touches one runs between {@link #enter} and {@link #leave}.
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
   * Lets nobody in any more and waits until nobody is inside.
   *
   * @return false if that was done before, or if somebody still is inside after that time: then the
   *     native handles must not be freed
   */
  boolean shut(Duration patience) {
    if (gate.isShut()) {
      return false;
    }
    boolean empty = gate.shut(patience);
    if (!empty) {
      LOG.error(
          "Leaving the state storage open: calls to it did not return within {} calls={}",
          patience,
          gate.inside());
    }
    return empty;
  }
}
