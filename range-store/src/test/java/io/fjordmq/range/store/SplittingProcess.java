package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that is to be killed: appends numbers to keys and prints each one when it is
 * acknowledged; meanwhile it splits its ranges, optionally merges them, and prints that as well.
 */
final class SplittingProcess {
  static final int KEYS = 100;
  private static final int IN_FLIGHT = 64;
  private static final int SPLIT_EVERY = 60;
  private static final int MERGE_EVERY = 40;
  static final String MERGED = "merged";

  private SplittingProcess() {}

  static StoreSpec spec() {
    return new StoreSpec(
        "words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  }

  static String key(long number) {
    return "k%02d".formatted(number * 7919 % KEYS);
  }

  /**
   * @param args directory, first number, first number for a new range, whether to merge
   */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, UTF_8);
    RealNode node = new RealNode(Path.of(args[0]), spec());
    boolean merges = Boolean.parseBoolean(args[3]);
    AtomicBoolean merging = new AtomicBoolean();
    abandonMerges(node.store);
    Random random = new Random();
    Semaphore permits = new Semaphore(IN_FLIGHT);
    long nextRange = Long.parseLong(args[2]);
    for (long next = Long.parseLong(args[1]); ; next++) {
      permits.acquire();
      long number = next;
      node.client
          .mutate(key(number).getBytes(UTF_8), (key(number) + ":" + number).getBytes(UTF_8))
          .whenComplete(
              (response, failure) -> {
                if (failure == null) {
                  out.println(number);
                  out.flush();
                }
                permits.release();
              });
      if (number % SPLIT_EVERY == 0) {
        byte[] key = "k%02d".formatted(random.nextInt(KEYS)).getBytes(UTF_8);
        for (RangeDescriptor range : node.store.descriptors("words")) {
          if (range.interval().contains(key)) {
            node.store
                .leaderOperations()
                .split(range.id(), range.epoch().version(), key, nextRange++);
          }
        }
      }
      List<RangeDescriptor> ranges = node.store.descriptors("words");
      if (merges
          && number % MERGE_EVERY == 0
          && ranges.size() > 1
          && merging.compareAndSet(false, true)) {
        int left = random.nextInt(ranges.size() - 1);
        merge(node.store, ranges.get(left), ranges.get(left + 1))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    out.println(MERGED);
                  }
                  CompletableFuture.runAsync(() -> abandonMerges(node.store))
                      .thenRun(() -> merging.set(false));
                });
      }
    }
  }

  private static CompletableFuture<Void> merge(
      RangeStore store, RangeDescriptor left, RangeDescriptor right) {
    return store
        .merges()
        .freeze(right, left)
        .thenCompose(frozen -> store.merges().absorb(left, right, left.replicas()));
  }

  /** Abandons merges in progress until no range is frozen. */
  static void abandonMerges(RangeStore store) {
    boolean pending = true;
    while (pending) {
      pending = false;
      for (ReplicaStatus replica : store.status()) {
        ReplicaStatus.Merging merging = replica.merging();
        if (merging != null) {
          pending = true;
          abandon(store, replica.descriptor().id(), merging);
        }
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void abandon(RangeStore store, RangeId right, ReplicaStatus.Merging merging) {
    store.status().stream()
        .map(ReplicaStatus::descriptor)
        .filter(range -> range.id().equals(merging.left()))
        .filter(range -> range.epoch().version() == merging.leftVersion())
        .forEach(range -> awaitIgnoringFailure(store.merges().bumpEpoch(range)));
    awaitIgnoringFailure(store.merges().unfreeze(right));
  }

  /** Ignores failures: the step is repeated as long as a range is frozen. */
  private static void awaitIgnoringFailure(CompletableFuture<Void> step) {
    step.handle((done, failure) -> done).join();
  }
}
