package io.fjordmq.broker.trace;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The traces of the cluster. A caller that is bound to a tenant sees and changes only traces of
 * that tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException} and complete on a
 * thread of the metadata group, which must not be blocked.
 */
public final class Traces implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Traces.class);
  private static final long SWEEP_SECONDS = 60;

  private static final RecordType<Trace> TYPE =
      new RecordType<>(StoredTrace.PREFIX, "this trace", StoredTrace::decode);

  private static final Comparator<Trace> NEWEST_FIRST =
      Comparator.comparing(Trace::createdAt).reversed().thenComparing(Trace::name);

  private final ReplicatedRecords<Trace> records;
  private final InstantSource clock;
  private final TraceSettings settings;
  private final TraceFiles files;
  private final Tracer tracer;
  private final TraceThread thread;

  /**
   * The parts of the node that traces need.
   *
   * @param clock cluster time
   * @param node the id of this node
   * @param folder the directory of the files, which is created if necessary
   * @param hasFreeDiskSpace whether there is enough free disk space to write files
   */
  public record Dependencies(
      MetadataClient metadata,
      InstantSource clock,
      TraceSettings settings,
      String node,
      Path folder,
      BooleanSupplier hasFreeDiskSpace) {}

  /** Reads the traces and follows their changes. */
  public static Traces open(Dependencies dependencies) {
    Traces traces = new Traces(dependencies);
    traces.records.follow(
        Traces::check,
        "this node does not write the files of the trace",
        (all, written) -> traces.thread.replace(List.copyOf(all.values())));
    traces.thread.every(SWEEP_SECONDS, traces::sweep);
    return traces;
  }

  private Traces(Dependencies dependencies) {
    records = new ReplicatedRecords<>(dependencies.metadata, TYPE);
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
  }

  private static Trace check(Trace trace) {
    TraceRules.canonical(trace.type(), trace.value());
    return trace;
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
    return records.read().thenApply(view -> records.decode(require(view, caller, name)));
  }

  /**
   * Creates a trace. Every node starts it once it is due. Fails with INVALID, EXISTS, FULL or
   * UNAVAILABLE.
   */
  public CompletableFuture<Trace> create(Caller caller, Trace.Draft draft) {
    Trace trace;
    try {
      trace = TraceRules.accept(draft, caller, clock.instant(), settings);
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    String key = StoredTrace.key(trace.tenant(), trace.name());
    return records
        .read()
        .thenCompose(
            view -> {
              requireRoom(view, caller, trace);
              return records.create(key, StoredTrace.encode(trace), exists(trace.name()));
            })
        .thenApply(written -> trace);
  }

  private void requireRoom(MetadataView view, Caller caller, Trace trace) {
    String tenant = trace.tenant();
    List<MetadataRecord> ofTenant =
        records.select(view, other -> Objects.equals(other.tenant(), tenant));
    if (ofTenant.stream().anyMatch(record -> records.decode(record).name().equals(trace.name()))) {
      throw new RecordException(Kind.EXISTS, exists(trace.name()));
    }
    if (caller.tenant() != null && ofTenant.size() >= settings.maxTracesPerTenant()) {
      throw new RecordException(
          Kind.FULL,
          "the number of traces of the tenant has reached traceConfig.maxTracesPerTenant (%d);"
                  .formatted(settings.maxTracesPerTenant())
              + " delete some first");
    }
    if (records.count(view) >= settings.maxTraces()) {
      throw new RecordException(
          Kind.FULL,
          "the number of traces has reached traceConfig.maxTraces (%d); delete some first"
              .formatted(settings.maxTraces()));
    }
  }

  private static String exists(String name) {
    return "a trace with the name '" + name + "' exists; delete it or choose another";
  }

  /**
   * Ends a trace; its files can still be read. Has no effect on a trace that has ended. Fails with
   * NOT_FOUND, CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Trace> stop(Caller caller, String name) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              Trace trace = records.decode(record);
              Instant now = clock.instant();
              if (trace.status(now) == Trace.Status.STOPPED) {
                return CompletableFuture.completedFuture(trace);
              }
              Trace stopped = trace.endingAt(now);
              return records
                  .write(Change.put(record.key(), StoredTrace.encode(stopped), record.version()))
                  .thenApply(written -> stopped);
            });
  }

  /** Deletes a trace and its files. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> delete(Caller caller, String name) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, caller, name);
              return records.write(Change.remove(record.key(), record.version()));
            });
  }

  /** Deletes all traces that the caller may see. Fails with UNAVAILABLE. */
  public CompletableFuture<Void> deleteAll(Caller caller) {
    return records.removeAll(trace -> caller.mayAccess(trace.tenant()));
  }

  /** Removes traces that ended long ago, and files without a trace. */
  private void sweep() {
    try {
      thread.deleteOrphans(thread.known());
    } catch (RuntimeException e) { // would end the schedule
      LOG.error("Cannot delete files of removed traces; please report this bug", e);
    }
    removeOld();
  }

  void removeOld() {
    Instant limit = clock.instant().minus(settings.retention());
    records.removeObsolete(trace -> trace.endAt().isBefore(limit));
  }

  /**
   * Finds the trace that a caller means: traces of several tenants can have the same name. A caller
   * that may see all of them means the trace of all tenants, if there is one.
   */
  private MetadataRecord require(MetadataView view, Caller caller, String name) {
    List<MetadataRecord> found =
        records.select(
            view, trace -> trace.name().equals(name) && caller.mayAccess(trace.tenant()));
    if (found.size() == 1) {
      return found.get(0);
    }
    // A record that this node cannot read is not among those found.
    MetadataRecord exact = view.get(StoredTrace.key(caller.tenant(), name));
    if (exact != null && caller.mayAccess(records.decode(exact).tenant())) {
      return exact;
    }
    throw found.isEmpty()
        ? new RecordException(Kind.NOT_FOUND, "the trace does not exist")
        : new RecordException(
            Kind.AMBIGUOUS, "traces of several tenants have this name; add the parameter tenant");
  }

  @Override
  public void close() throws InterruptedException {
    records.close();
    thread.close();
  }
}
