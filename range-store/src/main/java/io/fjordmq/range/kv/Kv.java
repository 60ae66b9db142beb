package io.fjordmq.range.kv;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The ordered key-value state of a node, divided into named {@link KvSpace spaces}.
 *
 * <p>Writes are atomic and immediately visible, but durable only once a later {@link #flush} has
 * completed. A crash may lose the latest writes of each space, but never a write without all later
 * ones. Thread-safe.
 */
public interface Kv extends AutoCloseable {

  /**
   * Returns the space with this name, creating it if it does not exist; the same object every time.
   *
   * @param name a letter, then letters, digits, '-' or '_'
   * @throws KvException if it cannot be created
   */
  KvSpace space(String name);

  /**
   * Makes every write that completed before the call durable. Calls during a running flush share
   * the next one. Completes on a thread of this storage, or fails with {@link KvException}.
   */
  CompletableFuture<Void> flush();

  /** Returns the reason why the storage currently rejects writes, or null if it accepts them. */
  @Nullable KvException failure();

  /** Attempts a write if {@link #failure} is set; success clears the failure. May block. */
  void retryWrites();

  /** Returns metrics of the storage; cheap enough to be read every few seconds. */
  KvMetrics metrics();

  /** Flushes and closes. The storage, its spaces and snapshots must not be used afterwards. */
  @Override
  void close();
}
