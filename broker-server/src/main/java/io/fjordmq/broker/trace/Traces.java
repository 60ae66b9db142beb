package io.fjordmq.broker.trace;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.trace.TraceException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The traces of the cluster. A caller that is bound to a tenant sees and changes only traces of
 * that tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link TraceException} and complete on a thread
 * of the metadata group, which must not be blocked.
 */
public final class Traces implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Traces.class);
  private static final long SWEEP_SECONDS = 60;

  private static final Comparator<Trace> NEWEST_FIRST =
      Comparator.comparing(Trace::createdAt).reversed().thenComparing(Trace::name);

  private final MetadataGroup metadata;
  private final MetadataClient client;
  private final InstantSource clock;
  private final TraceSettings settings;
  private final TraceFiles files;
  private final Tracer tracer;
  private final TraceThread thread;
  private final TraceDirectory directory;

  /**
   * The parts of the node that traces need.
   *
   * @param writer writes to the metadata through its leader, on any node
   * @param clock cluster time
   * @param node the id of this node
   * @param folder the folder of the files, which is created if necessary
   * @param hasFreeDiskSpace whether there is enough free disk space to write files
   */
  public record Dependencies(
      MetadataGroup metadata,
      Function<List<Change>, CompletableFuture<WriteResult>> writer,
      InstantSource clock,
      TraceSettings settings,
      String node,
      Path folder,
      BooleanSupplier hasFreeDiskSpace) {}

  /** Reads the traces and follows their changes. */
  public static Traces open(Dependencies dependencies) {
    Traces traces = new Traces(dependencies);
    dependencies.metadata.watch(traces.directory);
    traces.thread.every(SWEEP_SECONDS, traces::sweep);
    return traces;
  }

  private Traces(Dependencies dependencies) {
    metadata = dependencies.metadata;
    client = new MetadataClient(metadata, dependencies.writer);
    clock = dependencies.clock;
    settings = dependencies.settings;
    files =
        new TraceFiles(
            dependencies.folder,
            dependencies.node,
            clock,
            dependencies.hasFreeDiskSpace,
            settings.maxFileBytes());
    tracer = new Tracer(files, dependencies.node, clock, settings.maxPayloadBytes());
    thread = new TraceThread(files, tracer, clock);
    directory = new TraceDirectory(thread::replace);
  }

  /** The tracer that sessions and delivery report to. */
  public Tracer tracer() {
    return tracer;
  }

  /** The thread that writes and reads the files of this node. */
  TraceThread thread() {
    return thread;
  }

  TraceFiles files() {
    return files;
  }

  /** The current cluster time. */
  public Instant now() {
    return clock.instant();
  }

  /**
   * Starts to trace connected clients as well. Called once, before clients connect.
   *
   * @param all the connections of this node
   */
  public void traceConnected(TracedConnections all) {
    thread.setConnections(all);
  }

  /** Returns the traces that the caller may see, newest first. */
  public List<Trace> list(Caller caller) {
    return thread.known().stream()
        .filter(trace -> caller.mayAccess(trace.tenant()))
        .sorted(NEWEST_FIRST)
        .toList();
  }

  /** Returns a trace with all changes before this call. Fails with NOT_FOUND or UNAVAILABLE. */
  public CompletableFuture<Trace> find(Caller caller, String name) {
    return read().thenApply(view -> decode(require(view, caller, name)));
  }

  /**
   * Creates a trace. Every node starts it once it is due. Fails with INVALID, EXISTS, FULL, CHANGED
   * or UNAVAILABLE.
   */
  public CompletableFuture<Trace> create(Caller caller, Trace.Draft draft) {
    Trace trace;
    try {
      trace = TraceRules.accept(draft, caller, clock.instant(), settings);
    } catch (TraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    String key = StoredTrace.key(trace.name());
    return read()
        .thenCompose(
            view -> {
              requireRoom(view, key, trace.name());
              return write(List.of(new Change(key, StoredTrace.encode(trace), Change.ABSENT)));
            })
        .thenApply(written -> trace);
  }

  private void requireRoom(MetadataView view, String key, String name) {
    if (view.get(key) != null) {
      throw new TraceException(
          Kind.EXISTS, "a trace with the name '" + name + "' exists; delete it or choose another");
    }
    if (view.withPrefix(StoredTrace.PREFIX).size() >= settings.maxTraces()) {
      throw new TraceException(
          Kind.FULL,
          "the number of traces has reached traceConfig.maxTraces (%d); delete some first"
              .formatted(settings.maxTraces()));
    }
  }

  /**
   * Ends a trace; its files can still be read. Has no effect on a trace that has ended. Fails with
   * NOT_FOUND, CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Trace> stop(Caller caller, String name) {
    return read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              Trace trace = decode(record);
              Instant now = clock.instant();
              if (trace.status(now) == Trace.Status.STOPPED) {
                return CompletableFuture.completedFuture(trace);
              }
              Trace stopped = trace.endingAt(now);
              return write(
                      List.of(
                          new Change(record.key(), StoredTrace.encode(stopped), record.version())))
                  .thenApply(written -> stopped);
            });
  }

  /** Deletes a trace and its files. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> delete(Caller caller, String name) {
    return read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              return write(List.of(Change.remove(record.key(), record.version())));
            });
  }

  /** Deletes all traces that the caller may see. Fails with UNAVAILABLE. */
  public CompletableFuture<Void> deleteAll(Caller caller) {
    return read()
        .thenCompose(
            view -> {
              List<Change> removals =
                  records(view, trace -> caller.mayAccess(trace.tenant())).stream()
                      .map(record -> Change.remove(record.key(), Change.ANY))
                      .toList();
              return removals.isEmpty() ? CompletableFuture.completedFuture(null) : write(removals);
            });
  }

  /** Removes traces that ended long ago, and files without a trace. */
  private void sweep() {
    try {
      thread.deleteOrphans(thread.known());
      removeOldIfLeader();
    } catch (RuntimeException e) { // would end the schedule
      LOG.error("Cannot remove old traces; please report this bug", e);
    }
  }

  void removeOldIfLeader() {
    if (!metadata.leadership().leading()) {
      return;
    }
    Instant limit = clock.instant().minus(settings.retention());
    List<Change> removals =
        records(metadata.view(), trace -> trace.endAt().isBefore(limit)).stream()
            .map(record -> Change.remove(record.key(), record.version()))
            .toList();
    if (!removals.isEmpty()) {
      client
          .write(removals)
          .exceptionally(
              failure -> {
                LOG.debug("Cannot remove old traces; retrying later", failure);
                return null;
              });
    }
  }

  private static List<MetadataRecord> records(MetadataView view, Predicate<Trace> included) {
    List<MetadataRecord> found = new ArrayList<>();
    for (MetadataRecord record : view.withPrefix(StoredTrace.PREFIX)) {
      try {
        if (included.test(StoredTrace.decode(record.value()))) {
          found.add(record);
        }
      } catch (MalformedBytesException e) {
        LOG.debug("Skipped a trace that this node cannot read record={}", record.key());
      }
    }
    return found;
  }

  private static MetadataRecord require(MetadataView view, Caller caller, String name) {
    // A name that a key cannot contain cannot exist.
    MetadataRecord record = view.get(StoredTrace.key(name));
    if (record == null || !caller.mayAccess(decode(record).tenant())) {
      throw new TraceException(Kind.NOT_FOUND, "the trace does not exist");
    }
    return record;
  }

  private static Trace decode(MetadataRecord record) {
    try {
      return StoredTrace.decode(record.value());
    } catch (MalformedBytesException e) {
      throw new TraceException(
          Kind.UNAVAILABLE, "this node cannot read the trace: " + e.getMessage());
    }
  }

  private CompletableFuture<MetadataView> read() {
    return client.read().exceptionally(Traces::rethrow);
  }

  private CompletableFuture<Void> write(List<Change> batch) {
    return client.write(batch).exceptionally(Traces::rethrow);
  }

  private static <T> T rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new TraceException(
              Kind.CHANGED, "another request changed this trace at the same time; try again");
      case UNAVAILABLE -> new TraceException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
  }

  @Override
  public void close() throws InterruptedException {
    metadata.unwatch(directory);
    thread.close();
  }
}
