package io.fjordmq.broker.trace;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.trace.TraceCall.ListFiles;
import io.fjordmq.broker.trace.TraceCall.ReadFile;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of traces on all nodes that are alive. Thread-safe; nothing blocks. Futures
 * complete on any thread.
 */
public final class TraceLogs {
  /** The name of the service between nodes. */
  private static final String SERVICE = "trace";

  /** Time allowed for a node to respond. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final Traces traces;
  private final Membership membership;
  private final PeerNetwork peers;

  /**
   * The file of a trace on one node.
   *
   * @param bytes 0 if the node has not written anything
   * @param modifiedAt null if the node has not written anything
   * @param problem why the node does not write lines although the trace is in progress; null if it
   *     does, or the trace is not
   */
  public record NodeFile(
      String node, long bytes, @Nullable Instant modifiedAt, @Nullable String problem) {}

  /**
   * A trace and its files.
   *
   * @param files sorted by node; without the nodes that did not respond
   */
  public record TraceWithFiles(Trace trace, List<NodeFile> files) {}

  /**
   * Traces with their files.
   *
   * @param problems names the nodes that did not respond, and why
   */
  public record Listing(List<TraceWithFiles> traces, List<String> problems) {}

  /**
   * A part of a file.
   *
   * @param fileBytes the size of the file
   * @param isComplete whether the trace has ended, so that the file does not grow anymore
   */
  @SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
  public record Part(long fileBytes, boolean isComplete, byte[] bytes) {}

  private record NodeFiles(String node, List<TraceFiles.Info> files, @Nullable String problem) {
    NodeFile of(Trace trace) {
      return files.stream()
          .filter(file -> file.fileName().equals(trace.fileName()))
          .map(
              file ->
                  new NodeFile(
                      node,
                      file.bytes(),
                      file.bytes() == 0 ? null : Instant.ofEpochMilli(file.modifiedMillis()),
                      file.problem()))
          .findFirst()
          .orElse(new NodeFile(node, 0, null, null));
    }
  }

  private TraceLogs(Traces traces, Membership membership, PeerNetwork peers) {
    this.traces = traces;
    this.membership = membership;
    this.peers = peers;
  }

  /** Starts responding to other nodes. */
  public static TraceLogs start(Traces traces, Membership membership, PeerNetwork peers) {
    TraceLogs logs = new TraceLogs(traces, membership, peers);
    peers.serve(SERVICE, (from, request) -> logs.respond(request));
    return logs;
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      TraceCall call = TraceCall.decode(request);
      return call instanceof ReadFile read
          ? readLocally(read).thenApply(ReadFile::encodeResponse)
          : listLocally().thenApply(ListFiles::encodeResponse);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<List<TraceFiles.Info>> listLocally() {
    return traces.thread().read(traces.files()::infos);
  }

  private CompletableFuture<TraceFiles.Part> readLocally(ReadFile read) {
    int bytes = Math.min(ReadFile.MAX_BYTES, Math.max(0, read.maxBytes()));
    return traces.thread().read(() -> traces.files().read(read.fileName(), read.position(), bytes));
  }

  /** Returns the nodes that have files, sorted. */
  List<String> nodes() {
    return membership.members().alive().stream().map(NodeId::value).sorted().toList();
  }

  /** The current cluster time. */
  public Instant now() {
    return traces.now();
  }

  /** This node. */
  public String self() {
    return membership.self().value();
  }

  /** Lists the traces that the caller may see with their files, newest first. Never fails. */
  public CompletableFuture<Listing> list(Caller caller) {
    List<Trace> all = traces.list(caller);
    return all.isEmpty()
        ? CompletableFuture.completedFuture(new Listing(List.of(), List.of()))
        : files().thenApply(nodes -> listing(all, nodes));
  }

  /** Returns a trace with its files. Fails with NOT_FOUND or UNAVAILABLE. */
  public CompletableFuture<Listing> show(Caller caller, String name) {
    return traces
        .find(caller, name)
        .thenCompose(trace -> files().thenApply(nodes -> listing(List.of(trace), nodes)));
  }

  private static Listing listing(List<Trace> all, List<NodeFiles> nodes) {
    return new Listing(
        all.stream()
            .map(
                trace ->
                    new TraceWithFiles(
                        trace,
                        nodes.stream()
                            .filter(node -> node.problem == null)
                            .map(node -> node.of(trace))
                            .toList()))
            .toList(),
        nodes.stream().flatMap(node -> Stream.ofNullable(node.problem)).toList());
  }

  private CompletableFuture<List<NodeFiles>> files() {
    List<CompletableFuture<NodeFiles>> responses =
        membership.members().alive().stream()
            .sorted(Comparator.comparing(NodeId::value))
            .map(this::filesOf)
            .toList();
    return CompletableFuture.allOf(responses.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> responses.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<NodeFiles> filesOf(NodeId node) {
    CompletableFuture<List<TraceFiles.Info>> files =
        node.equals(membership.self())
            ? listLocally().orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
            : peers
                .call(node, SERVICE, new ListFiles().encode(), TIMEOUT)
                .thenApply(ListFiles::decodeResponse);
    return files
        .thenApply(found -> new NodeFiles(node.value(), found, null))
        .exceptionally(
            failure ->
                new NodeFiles(
                    node.value(), List.of(), "node " + node.value() + ": " + reason(failure)));
  }

  /**
   * Reads a part of the file of a trace on one node. Fails with NOT_FOUND or UNAVAILABLE.
   *
   * @param position where the part begins, in bytes
   * @param maxBytes maximum size of the part; a node sends at most 256 KiB at once
   */
  public CompletableFuture<Part> read(
      Caller caller, String name, String node, long position, int maxBytes) {
    return traces
        .find(caller, name)
        .thenCompose(
            trace -> {
              boolean isComplete = trace.status(traces.now()) == Trace.Status.STOPPED;
              return read(trace, node, position, maxBytes)
                  .thenApply(part -> new Part(part.fileBytes(), isComplete, part.bytes()));
            });
  }

  CompletableFuture<TraceFiles.Part> read(Trace trace, String node, long position, int maxBytes) {
    ReadFile request = new ReadFile(trace.fileName(), position, maxBytes);
    NodeId id =
        membership.members().alive().stream()
            .filter(alive -> alive.value().equals(node))
            .findFirst()
            .orElse(null);
    if (id == null) {
      return CompletableFuture.failedFuture(
          new RecordException(
              Kind.NOT_FOUND,
              "no node with this id is alive; the nodes are " + String.join(", ", nodes())));
    }
    CompletableFuture<TraceFiles.Part> part =
        id.equals(membership.self())
            ? readLocally(request).orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
            : peers
                .call(id, SERVICE, request.encode(), TIMEOUT)
                .thenApply(ReadFile::decodeResponse);
    return part.exceptionallyCompose(
        failure ->
            CompletableFuture.failedFuture(
                new RecordException(
                    Kind.UNAVAILABLE, "cannot read from node " + node + ": " + reason(failure))));
  }

  /**
   * Returns the lines of all nodes in one text, sorted by time. Nodes that do not respond are named
   * in the text. Fails with NOT_FOUND or UNAVAILABLE.
   *
   * @param maxBytes the text ends with a note once it has about this size
   */
  public CompletableFuture<byte[]> download(Caller caller, String name, int maxBytes) {
    return traces
        .find(caller, name)
        .thenCompose(
            trace -> {
              List<NodeLines> nodes = new ArrayList<>();
              for (String node : nodes()) {
                nodes.add(new NodeLines(node, this, trace));
              }
              return new MergedLines(nodes, trace, maxBytes).read();
            });
  }

  static String reason(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (cause instanceof TimeoutException) {
      return "did not respond in time";
    }
    return cause.getMessage() == null
        ? cause.getClass().getSimpleName()
        : String.valueOf(cause.getMessage());
  }
}
