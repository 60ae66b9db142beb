package io.fjordmq.retain.client;

import io.fjordmq.range.RangeClient;
import io.fjordmq.retain.ExpireMessages;
import io.fjordmq.retain.RetainReplicas;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/**
 * Removes expired messages from the ranges with replicas on this node. It has no thread of its own:
 * the caller invokes {@link #sweep} about once a second. {@code RetainStore.match} omits messages
 * from the moment they expire, so this only reclaims their space. Thread-safe.
 */
public final class RetainSweeper {
  /** Maximum removals per log entry, which bounds the size of the entry's write. */
  private static final int MAX_REMOVALS = 256;

  private final RangeClient client;
  private final RetainReplicas replicas;
  private final InstantSource clock;

  /**
   * Creates a sweeper.
   *
   * @param client client for the store {@link RetainReplicas#STORE}
   * @param clock wall clock
   */
  public RetainSweeper(RangeClient client, RetainReplicas replicas, InstantSource clock) {
    this.client = client;
    this.replicas = replicas;
    this.clock = clock;
  }

  /** Completes when the messages that were due are removed or left to the next call. */
  public CompletableFuture<Void> sweep() {
    byte[] expire = new ExpireMessages(MAX_REMOVALS).encode();
    return CompletableFuture.allOf(
        replicas.rangesDueAt(clock.millis()).stream()
            .map(firstKey -> client.mutate(firstKey, expire))
            .toArray(CompletableFuture[]::new));
  }
}
