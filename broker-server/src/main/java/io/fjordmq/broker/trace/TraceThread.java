package io.fjordmq.broker.trace;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread {@code traces}: starts and ends traces on this node, writes their files, and reads
 * them. It sleeps while all traces have ended.
 */
final class TraceThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceThread.class);

  /** How long lines wait until they are written together. */
  private static final long TICK_MILLIS = 100;

  private static final long CLOSE_SECONDS = 5;

  /** A task that reads files. */
  @FunctionalInterface
  interface FileTask<T> {
    T run() throws IOException;
  }

  private final TraceFiles files;
  private final Tracer tracer;
  private final InstantSource clock;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "traces"));
  private volatile List<Trace> known = List.of();
  private volatile @Nullable TracedConnections connections;
  private volatile boolean closed;
  // Only used on the thread.
  private List<Trace> handled = List.of();
  private List<Trace> running = List.of();
  private boolean isScheduled;

  TraceThread(TraceFiles files, Tracer tracer, InstantSource clock) {
    this.files = files;
    this.tracer = tracer;
    this.clock = clock;
  }

  /** Sets the connections that are updated when traces start and end. */
  void setConnections(TracedConnections all) {
    connections = all;
    execute(all::update);
  }

  /** Replaces the traces. Can be called on any thread. */
  void replace(List<Trace> traces) {
    known = traces;
    execute(this::refresh);
  }

  /** The traces that this node knows. Can be called on any thread. */
  List<Trace> known() {
    return known;
  }

  /** Runs a task at intervals. */
  void every(long seconds, Runnable task) {
    thread.scheduleWithFixedDelay(task, seconds, seconds, TimeUnit.SECONDS);
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) { // would halt the metadata replica
      LOG.debug("Ignoring changes to traces: the node is stopping", e);
    }
  }

  /** Starts and ends traces, and writes lines. */
  private void refresh() {
    if (closed) {
      return;
    }
    try {
      Instant now = clock.instant();
      List<Trace> traces = known;
      List<Trace> due =
          traces.stream().filter(trace -> trace.status(now) == Trace.Status.RUNNING).toList();
      files.writeQueued();
      if (!due.equals(running)) {
        startAndEnd(due);
      }
      deleteRemoved(traces);
      boolean isOver = traces.stream().allMatch(t -> t.status(now) == Trace.Status.STOPPED);
      if (!isOver && !isScheduled) {
        isScheduled = true;
        thread.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("Stopped writing trace lines: the node is stopping", e);
    } catch (RuntimeException e) {
      LOG.error("Cannot write traces; please report this bug", e);
    }
  }

  private void tick() {
    isScheduled = false;
    refresh();
  }

  private void startAndEnd(List<Trace> due) {
    List<ActiveTrace> active = new ArrayList<>();
    for (Trace trace : due) {
      try {
        active.add(ActiveTrace.of(trace, files.open(trace)));
      } catch (IOException e) {
        LOG.warn("Cannot start a trace on this node: {} trace={}", e.toString(), trace.fileName());
        files.onOpenFailed(trace, e);
      }
    }
    tracer.replace(active.isEmpty() ? null : new ActiveTraces(active));
    running = due;
    TracedConnections all = connections;
    if (all != null) {
      all.update();
    }
    files.writeQueued(); // lines of the traces that end
    files.closeExcept(names(due));
  }

  private void deleteRemoved(List<Trace> traces) {
    Set<String> remaining = names(traces);
    for (Trace before : handled) {
      if (!remaining.contains(before.fileName())) {
        files.delete(before.fileName());
      }
    }
    handled = traces;
  }

  /** Deletes files whose traces were removed while this node was down. */
  void deleteOrphans(List<Trace> all) {
    files.deleteExcept(names(all));
  }

  private static Set<String> names(List<Trace> traces) {
    return traces.stream().map(Trace::fileName).collect(Collectors.toSet());
  }

  /** Runs a task that reads files, after all lines so far have been written. */
  <T> CompletableFuture<T> read(FileTask<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      thread.execute(
          () -> {
            try {
              files.writeQueued();
              result.complete(task.run());
            } catch (IOException | RuntimeException e) {
              result.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    tracer.replace(null);
    execute(files::close);
    thread.shutdown();
    if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
      thread.shutdownNow();
    }
  }
}
