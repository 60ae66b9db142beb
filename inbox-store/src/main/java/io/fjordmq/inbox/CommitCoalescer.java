package io.fjordmq.inbox;

import io.fjordmq.range.RangeClient;
import io.fjordmq.range.Timers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Collects acknowledgements for a moment and replicates them together, one command per range.
 * Thread-safe. What is lost of them before it is sent is only delivered again.
 */
final class CommitCoalescer {
  /*
   * Commits only ever move an inbox forward, so it does not matter in which order two batches
   * arrive. A batch is sent when its oldest commit has lingered, when it has enough inboxes, or
   * when one inbox acknowledges a lot.
   */
  private final RangeClient client;
  private final InboxSettings settings;
  private final Timers timers;
  private final InboxObserver observer;

  /** Guarded by this. */
  private Map<InboxId, Pending> pending = new LinkedHashMap<>();

  /** What one inbox has to say so far. */
  private static final class Pending {
    final InboxHandle handle;
    final CompletableFuture<Void> done = new CompletableFuture<>();
    final TreeSet<Long> beyond = new TreeSet<>();
    final long first;
    long upTo;

    Pending(InboxHandle handle, long upTo) {
      this.handle = handle;
      this.first = upTo;
      this.upTo = upTo;
    }

    void add(long nextUpTo, List<Long> nextBeyond) {
      upTo = Math.max(upTo, nextUpTo);
      beyond.addAll(nextBeyond);
      beyond.headSet(upTo).clear();
    }

    long span() {
      return upTo - first + beyond.size();
    }

    CommitDeliveries.Commit commit() {
      return new CommitDeliveries.Commit(handle, upTo, List.copyOf(beyond));
    }
  }

  CommitCoalescer(
      RangeClient client, InboxSettings settings, Timers timers, InboxObserver observer) {
    this.client = client;
    this.settings = settings;
    this.timers = timers;
    this.observer = observer;
  }

  CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond) {
    Pending mine;
    Pending replaced = null;
    boolean first;
    boolean full;
    synchronized (this) {
      first = pending.isEmpty();
      mine = pending.get(handle.id());
      if (mine == null || !mine.handle.equals(handle)) {
        replaced = mine;
        mine = new Pending(handle, upTo);
        pending.put(handle.id(), mine);
      }
      mine.add(upTo, beyond);
      full =
          pending.size() >= settings.maxCommitInboxes() || mine.span() >= settings.maxCommitSpan();
    }
    if (replaced != null) {
      send(List.of(replaced)); // of another attach: the range knows which of the two is fenced
    }
    if (full) {
      flush();
    } else if (first) {
      timers.schedule(settings.commitLinger().toMillis(), this::flush);
    }
    return mine.done;
  }

  /** Sends what one inbox has pending. */
  void flush(InboxId id) {
    Pending one;
    synchronized (this) {
      one = pending.remove(id);
    }
    if (one != null) {
      send(List.of(one));
    }
  }

  /** Sends everything pending. */
  void flush() {
    List<Pending> batch;
    synchronized (this) {
      batch = new ArrayList<>(pending.values());
      pending = new LinkedHashMap<>();
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  private void send(List<Pending> batch) {
    final long start = System.nanoTime();
    List<byte[]> keys = new ArrayList<>(batch.size());
    for (Pending commit : batch) {
      keys.add(InboxKeys.routing(commit.handle.id()));
    }
    client
        .mutateGrouped(keys, positions -> encode(batch, positions))
        .whenComplete(
            (answers, failure) -> {
              observer.committed(batch.size(), System.nanoTime() - start);
              complete(batch, answers, failure);
            });
  }

  private static byte[] encode(List<Pending> batch, int[] positions) {
    List<CommitDeliveries.Commit> commits = new ArrayList<>(positions.length);
    for (int position : positions) {
      commits.add(batch.get(position).commit());
    }
    return new CommitDeliveries(commits).encode();
  }

  private static void complete(
      List<Pending> batch,
      @Nullable List<RangeClient.GroupAnswer> answers,
      @Nullable Throwable failure) {
    if (answers == null) {
      Throwable cause =
          failure == null ? new IllegalStateException("no answer") : Calls.unwrap(failure);
      batch.forEach(commit -> commit.done.completeExceptionally(cause));
      return;
    }
    for (RangeClient.GroupAnswer answer : answers) {
      for (int i = 0; i < answer.positions().length; i++) {
        Pending commit = batch.get(answer.positions()[i]);
        if (answer.answer()[i] == CommitDeliveries.FENCED) {
          commit.done.completeExceptionally(new InboxFencedException(commit.handle));
        } else {
          commit.done.complete(null);
        }
      }
    }
  }
}
