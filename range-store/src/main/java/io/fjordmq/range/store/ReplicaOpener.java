package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Opens the replicas on this node's disk at startup, several at a time, because loading the rows of
 * a large one is slow. Used by one thread, which waits until all replicas have been opened.
 */
final class ReplicaOpener {
  private final StoredReplicas stored;
  private final Executor threads;
  private final Opener opener;

  /** Opens one replica; blocks. */
  @FunctionalInterface
  interface Opener {
    void open(StoreSpec spec, RangeDescriptor range) throws IOException;
  }

  ReplicaOpener(StoredReplicas stored, Executor threads, Opener opener) {
    this.stored = stored;
    this.threads = threads;
    this.opener = opener;
  }

  /**
   * @throws IOException if a replica could not be opened
   */
  void open(List<StoreSpec> stores) throws IOException {
    List<Runnable> openings = new ArrayList<>();
    for (StoreSpec spec : stores) {
      for (RangeDescriptor range : stored.load(spec.name())) {
        if (stored.isInstalling(range)) {
          openUnlessReplaced(
              spec, range); // sequentially: the snapshot may contain rows of other ranges
        } else {
          openings.add(() -> openUnchecked(spec, range));
        }
      }
    }
    await(
        CompletableFuture.allOf(
            openings.stream()
                .map(opening -> CompletableFuture.runAsync(opening, threads))
                .toArray(CompletableFuture<?>[]::new)));
  }

  private void openUnlessReplaced(StoreSpec spec, RangeDescriptor range) throws IOException {
    if (stored.find(range.id())
        != null) { // otherwise the snapshot of another range has replaced it
      opener.open(spec, range);
    }
  }

  private void openUnchecked(StoreSpec spec, RangeDescriptor range) {
    try {
      openUnlessReplaced(spec, range);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(CompletableFuture<Void> all) throws IOException {
    try {
      all.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
