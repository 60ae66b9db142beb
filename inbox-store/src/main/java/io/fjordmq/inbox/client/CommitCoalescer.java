package io.fjordmq.inbox.client;

import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.CommitDeliveries;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Batches acknowledgements for a short time and replicates them together, with one command per
 * range. Acknowledgements that a busy range rejects are retried a few times. If acknowledgements
 * are lost before they are sent, the messages are delivered again. Thread-safe.
 */
final class CommitCoalescer {
  /*
   * Commits only ever move an inbox forward, so it does not matter in which order two batches
   * arrive. A batch is sent when its oldest commit has waited for commitLinger, when it has
   * maxCommitInboxes inboxes, or when one inbox has acknowledged maxCommitSpan messages.
   * Rejected commits wait separately, so that they do not delay other ranges. Both maps hold at
   * most one commit for each connection.
   */

  /** Approximate maximum size of one command, so that ranges accept it even if names are long. */
  private static final long MAX_COMMAND_BYTES = 1 << 20;

  private final RangeClient client;
  private final int maxInboxes;
  private final int maxSpan;
  private final long lingerMillis;
  private final Timers timers;
  private final BusyRetry busy;
  private final InboxObserver observer;

  /** Guarded by this. */
  private Map<InboxHandle, Pending> pending = new LinkedHashMap<>();

  /** Guarded by this. */
  private Map<InboxHandle, Pending> rejected = new LinkedHashMap<>();

  /** The acknowledgements of one connection that have not been replicated yet. */
  static final class Pending {
    private final InboxHandle handle;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final TreeSet<Long> beyond = new TreeSet<>();
    private final long first;
    private long upTo;
    private int refusals;

    Pending(InboxHandle handle, long upTo) {
      this.handle = handle;
      this.first = upTo;
      this.upTo = upTo;
    }

    private void add(long nextUpTo, Iterable<Long> nextBeyond) {
      upTo = Math.max(upTo, nextUpTo);
      nextBeyond.forEach(beyond::add);
      beyond.headSet(upTo).clear();
    }

    /** Merges the acknowledgements of another instance for the same connection. */
    private Pending merge(Pending other) {
      add(other.upTo, other.beyond);
      refusals = Math.max(refusals, other.refusals);
      done.whenComplete((ok, failure) -> other.complete(failure));
      return this;
    }

    private long span() {
      return upTo - first + beyond.size();
    }

    private long maxBytes() {
      return handle.id().maxBytes() + 32L + 10L * beyond.size();
    }

    CommitDeliveries.Commit commit() {
      return new CommitDeliveries.Commit(handle, upTo, List.copyOf(beyond));
    }

    /**
     * Completes the future of the callers.
     *
     * @param failure null on success
     */
    void complete(@Nullable Throwable failure) {
      if (failure == null) {
        done.complete(null);
      } else {
        done.completeExceptionally(failure);
      }
    }
  }

  CommitCoalescer(
      RangeClient client,
      InboxSettings settings,
      Timers timers,
      BusyRetry busy,
      InboxObserver observer) {
    this.client = client;
    this.maxInboxes = settings.maxCommitInboxes();
    this.maxSpan = settings.maxCommitSpan();
    this.lingerMillis = settings.commitLinger().toMillis();
    this.timers = timers;
    this.busy = busy;
    this.observer = observer;
  }

  CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond) {
    Pending entry;
    boolean first;
    boolean full;
    synchronized (this) {
      first = pending.isEmpty();
      entry = pending.computeIfAbsent(handle, key -> new Pending(key, upTo));
      entry.add(upTo, beyond);
      full = pending.size() >= maxInboxes || entry.span() >= maxSpan;
    }
    if (full) {
      flush();
    } else if (first) {
      timers.schedule(lingerMillis, this::flush);
    }
    return entry.done;
  }

  /**
   * Removes and returns the waiting acknowledgements of a connection. The caller must send and
   * complete them.
   */
  synchronized @Nullable Pending take(InboxHandle handle) {
    Pending waiting = pending.remove(handle);
    Pending before = rejected.remove(handle);
    if (waiting == null || before == null) {
      return waiting == null ? before : waiting;
    }
    return before.merge(waiting);
  }

  /** Sends all waiting acknowledgements. */
  void flush() {
    List<Pending> batch;
    synchronized (this) {
      batch = new ArrayList<>(pending.values());
      pending = new LinkedHashMap<>();
    }
    send(batch);
  }

  /** Sends rejected acknowledgements again. */
  void retry() {
    List<Pending> batch;
    synchronized (this) {
      batch = new ArrayList<>(rejected.values());
      rejected = new LinkedHashMap<>();
    }
    send(batch);
  }

  private void send(List<Pending> batch) {
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < batch.size(); i++) {
      bytes += batch.get(i).maxBytes();
      if (bytes > MAX_COMMAND_BYTES && i > from) {
        sendPart(batch.subList(from, i));
        from = i;
        bytes = batch.get(i).maxBytes();
      }
    }
    if (from < batch.size()) {
      sendPart(batch.subList(from, batch.size()));
    }
  }

  private void sendPart(List<Pending> batch) {
    final long start = System.nanoTime();
    List<byte[]> keys = new ArrayList<>(batch.size());
    for (Pending commit : batch) {
      keys.add(commit.handle.id().routingKey());
    }
    client
        .mutateGrouped(keys, positions -> encode(batch, positions))
        .whenComplete(
            (responses, failure) -> {
              if (responses == null) {
                onFailure(batch, failure);
              } else {
                observer.onCommitted(batch.size(), System.nanoTime() - start);
                onResponses(batch, responses);
              }
            });
  }

  private static byte[] encode(List<Pending> batch, int[] positions) {
    List<CommitDeliveries.Commit> commits = new ArrayList<>(positions.length);
    for (int position : positions) {
      commits.add(batch.get(position).commit());
    }
    return new CommitDeliveries(commits).encode();
  }

  private static void onResponses(List<Pending> batch, List<RangeClient.GroupResponse> responses) {
    for (RangeClient.GroupResponse response : responses) {
      for (int i = 0; i < response.positions().length; i++) {
        Pending commit = batch.get(response.positions()[i]);
        boolean fenced = response.response()[i] == CommitDeliveries.FENCED;
        commit.complete(fenced ? new InboxFencedException(commit.handle) : null);
      }
    }
  }

  private void onFailure(List<Pending> batch, @Nullable Throwable failure) {
    Throwable cause =
        failure == null
            ? new IllegalStateException("range client completed without a response")
            : OperationException.unwrap(failure);
    List<Pending> abandoned = new ArrayList<>();
    int minRefusals = Integer.MAX_VALUE;
    boolean first;
    synchronized (this) {
      first = rejected.isEmpty();
      for (Pending commit : batch) {
        if (busy.shouldRetry(cause, commit.refusals)) {
          minRefusals = Math.min(minRefusals, commit.refusals++);
          rejected.merge(commit.handle, commit, Pending::merge);
        } else {
          abandoned.add(commit);
        }
      }
      first &= !rejected.isEmpty();
    }
    if (first) {
      busy.schedule(minRefusals, this::retry);
    }
    abandoned.forEach(commit -> commit.complete(cause));
  }
}
