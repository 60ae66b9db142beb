package io.fjordmq.range.kv;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All ordered key-value state of one node, cut into named {@link KvSpace spaces}.
 *
 * <p>Writes are atomic and visible at once, but durable only once a {@link #flush} that began after
 * them has completed; a crash takes a suffix of each space's writes, never one from the middle.
 * Thread-safe.
 */
public interface Kv extends AutoCloseable {

  /**
   * Opens a space, creating it if it does not exist; the same object every time.
   *
   * @param name a letter, then letters, digits, '-' or '_'
   * @throws KvException if it cannot be opened
   */
  KvSpace space(String name);

  /**
   * Makes every write that was done before the call durable. Completes on a thread of this storage;
   * calls that wait for a running flush share the next one. Fails with {@link KvException}.
   */
  CompletableFuture<Void> flush();

  /** Why the storage takes no writes at the moment, or null while it does. */
  @Nullable KvException failure();

  /** If {@link #failure} is set: tries another write, which clears it if it works. May block. */
  void retryWrites();

  /** Figures for metrics and status pages; cheap enough to be read every few seconds. */
  KvMetrics metrics();

  /** Flushes and closes. Nothing may use the storage, its spaces or snapshots any more. */
  @Override
  void close();
}
