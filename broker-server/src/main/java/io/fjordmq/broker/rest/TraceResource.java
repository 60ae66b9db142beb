package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.trace.PayloadEncoding;
import io.fjordmq.broker.trace.Trace;
import io.fjordmq.broker.trace.TraceFormat;
import io.fjordmq.broker.trace.TraceLogs;
import io.fjordmq.broker.trace.Traces;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Traces of clients, topics and addresses. */
final class TraceResource implements Resource {
  static final String NAME_PATTERN = "[A-Za-z0-9][A-Za-z0-9_-]*";

  /** Bounds the memory of a download. */
  static final int MAX_DOWNLOAD_BYTES = 16 << 20;

  /** The buffer, which doubles its size when it is full, and the response. */
  private static final int MEMORY_PER_DOWNLOADED_BYTE = 3;

  /** The part, its text and its JSON. */
  private static final int MEMORY_PER_LOG_BYTE = 6;

  private static final String TAG = "Traces";
  private static final String PATH = "/trace/{name}";
  private static final String NAME = "name";
  private static final String POSITION = "position";
  private static final String BYTES = "bytes";
  private static final int DEFAULT_LOG_BYTES = 1_000;
  private static final int MIN_LOG_BYTES = 16; // longer than any character
  private static final int MAX_LOG_BYTES = 256 << 10;
  private static final int MAX_UTF8_BYTES = 4;
  private static final String UNKNOWN = "The trace does not exist";
  private static final String AMBIGUOUS = "Traces of several tenants have this name";

  private final Traces traces;
  private final TraceLogs logs;
  private final NodeLookup lookup;

  record LogFileJson(
      @Field("Id of the node") String node,
      @Field("Size of the file in bytes") long size,
      @Field("When the file was last changed, in ms since the epoch; absent if there is none")
          @Nullable Long mtime) {}

  record LogMeta(
      @Field("Offset of the next part in the file, in bytes") long position,
      @Field("Maximum size of the part, in bytes") int bytes,
      @Field(
              "`eof` at the end of a stopped trace, `retry` at the end of a running one; otherwise"
                  + " absent")
          @Nullable String hint) {}

  record LogJson(
      @Field("Position") LogMeta meta,
      @Field("A part of the file, which may end in the middle of a line") String items) {}

  TraceResource(Traces traces, TraceLogs logs, NodeLookup lookup) {
    this.traces = traces;
    this.logs = logs;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        listTraces(),
        createTrace(),
        deleteAllTraces(),
        deleteTrace(),
        stopTrace(),
        downloadTrace(),
        readTraceLog(),
        listTraceFiles());
  }

  private Operation listTraces() {
    return Operation.get("/trace")
        .id("listTraces")
        .tag(TAG)
        .summary("List traces, newest first")
        .role(Role.VIEWER)
        .tenants()
        .query(ofTenant())
        .okArray(TraceJson.class)
        .handler(this::list);
  }

  private Operation createTrace() {
    return Operation.post("/trace")
        .id("createTrace")
        .tag(TAG)
        .summary("Start a trace")
        .description(
            "Every node writes matching packets and decisions to its own file,"
                + " which ends at traceConfig.maxFileBytes. Passwords are never written. A trace"
                + " and its files are deleted traceConfig.retention after its end.")
        .role(Role.OPERATOR)
        .tenants()
        .body(CreateTraceRequest.class)
        .target(request -> request.body(CreateTraceRequest.class).name())
        .ok(TraceJson.class)
        .conflict(
            "A trace of the tenant with this name exists, or there are traceConfig.maxTraces traces"
                + " or traceConfig.maxTracesPerTenant traces of the caller's tenant")
        .handler(this::create);
  }

  private Operation deleteAllTraces() {
    return Operation.delete("/trace")
        .id("deleteAllTraces")
        .tag(TAG)
        .summary("Delete all traces and their files")
        .description("A caller that is bound to a tenant deletes only the traces of that tenant.")
        .role(Role.OPERATOR)
        .tenants()
        .query(ofTenant())
        .noContent()
        .handler(
            request ->
                translate(traces.deleteAll(caller(request)))
                    .thenApply(deleted -> Response.noContent()));
  }

  private Operation deleteTrace() {
    return Operation.delete(PATH)
        .id("deleteTrace")
        .tag(TAG)
        .summary("Delete a trace and its files")
        .role(Role.OPERATOR)
        .tenants()
        .path(name())
        .query(ofTenant())
        .noContent()
        .notFound(UNKNOWN)
        .conflict("Another request changed the trace at the same time")
        .handler(
            request ->
                translate(traces.delete(caller(request), request.path(NAME)))
                    .thenApply(deleted -> Response.noContent()));
  }

  private Operation stopTrace() {
    return Operation.put(PATH + "/stop")
        .id("stopTrace")
        .tag(TAG)
        .summary("Stop a trace")
        .description("The files can still be read. Has no effect on a trace that has ended.")
        .role(Role.OPERATOR)
        .tenants()
        .path(name())
        .query(ofTenant())
        .ok(TraceJson.class)
        .notFound(UNKNOWN)
        .conflict("Another request changed the trace at the same time")
        .handler(
            request ->
                translate(traces.stop(caller(request), request.path(NAME))).thenApply(this::json));
  }

  private Operation downloadTrace() {
    return Operation.get(PATH + "/download")
        .id("downloadTrace")
        .tag(TAG)
        .summary("Download what all nodes have traced")
        .description(
            "The lines of all nodes, sorted by time, as plain text of at most 16 MiB. Lines that"
                + " begin with `#`, or JSON objects without `time`, report what is missing. `/trace/{name}/log` reads files of any"
                + " size.")
        .role(Role.OPERATOR)
        .tenants()
        .path(name())
        .query(ofTenant())
        .memory(request -> (long) MAX_DOWNLOAD_BYTES * MEMORY_PER_DOWNLOADED_BYTE)
        .okText()
        .notFound(UNKNOWN)
        .conflict(AMBIGUOUS)
        .handler(
            request ->
                translate(logs.download(caller(request), request.path(NAME), MAX_DOWNLOAD_BYTES))
                    .thenApply(Response::text));
  }

  private Operation readTraceLog() {
    return Operation.get(PATH + "/log")
        .id("readTraceLog")
        .tag(TAG)
        .summary("Read a part of the file of one node")
        .description("Continue with `meta.position` until `meta.hint` is present.")
        .role(Role.OPERATOR)
        .tenants()
        .path(name())
        .query(ofTenant())
        .query(
            Parameter.number(
                    POSITION, "Offset of the part in the file, in bytes", 0, Integer.MAX_VALUE)
                .orElse(0))
        .query(
            Parameter.number(
                    BYTES, "Maximum size of the part, in bytes", MIN_LOG_BYTES, MAX_LOG_BYTES)
                .orElse(DEFAULT_LOG_BYTES))
        .query(NodeLookup.query("Node; the one that receives the request if absent"))
        .memory(request -> (long) request.number(BYTES) * MEMORY_PER_LOG_BYTE)
        .ok(LogJson.class)
        .notFound("The trace or the node does not exist")
        .conflict("Several nodes have this name")
        .handler(this::readLog);
  }

  private Operation listTraceFiles() {
    return Operation.get(PATH + "/log_detail")
        .id("listTraceFiles")
        .tag(TAG)
        .summary("List the files of a trace")
        .description("One file for each node that responds.")
        .role(Role.VIEWER)
        .tenants()
        .path(name())
        .query(ofTenant())
        .okArray(LogFileJson.class)
        .notFound(UNKNOWN)
        .conflict(AMBIGUOUS)
        .handler(this::files);
  }

  private static Parameter ofTenant() {
    return Parameter.text(
        "tenant",
        "Only traces of this tenant; needed if traces of several tenants have the same name",
        TextRule.WITHOUT_NUL);
  }

  /** A caller that names a tenant acts as one that is bound to it. */
  private static Caller caller(Request request) {
    Caller caller = request.caller();
    @Nullable String tenant = ClientLookup.tenant(request);
    return tenant == null
        ? caller
        : new Caller(caller.name(), caller.kind(), caller.role(), tenant);
  }

  private static Parameter name() {
    return Parameter.text(NAME, "Name of the trace", NAME_PATTERN, 64);
  }

  private CompletableFuture<Response> list(Request request) {
    return logs.list(caller(request))
        .thenApply(
            listing ->
                Response.ok(
                    listing.traces().stream()
                        .map(trace -> TraceJson.of(trace, logs.now(), listing.problems()))
                        .toList()));
  }

  private CompletableFuture<Response> create(Request request) {
    CreateTraceRequest body = request.body(CreateTraceRequest.class);
    Trace.Draft draft =
        new Trace.Draft(
            body.name(),
            body.type(),
            body.value(),
            body.tenant(),
            Objects.requireNonNullElse(body.payloadEncode(), PayloadEncoding.HIDDEN),
            body.startAt(),
            body.endAt(),
            Objects.requireNonNullElse(body.formatter(), TraceFormat.TEXT));
    return translate(traces.create(request.caller(), draft)).thenApply(this::json);
  }

  private Response json(Trace trace) {
    return Response.ok(TraceJson.of(trace, traces.now()));
  }

  private CompletableFuture<Response> files(Request request) {
    return translate(logs.show(caller(request), request.path(NAME)))
        .thenApply(
            listing ->
                Response.ok(
                    listing.traces().stream()
                        .flatMap(trace -> trace.files().stream())
                        .map(
                            file ->
                                new LogFileJson(
                                    file.node(),
                                    file.bytes(),
                                    file.modifiedAt() == null
                                        ? null
                                        : file.modifiedAt().toEpochMilli()))
                        .toList()));
  }

  private CompletableFuture<Response> readLog(Request request) {
    int position = request.number(POSITION);
    int maxBytes = request.number(BYTES);
    String node = lookup.find(request).orElse(logs.self());
    return translate(logs.read(caller(request), request.path(NAME), node, position, maxBytes))
        .thenApply(part -> Response.ok(logJson(part, position, maxBytes)));
  }

  private static LogJson logJson(TraceLogs.Part part, int position, int maxBytes) {
    int bytes = wholeCharacters(part.bytes());
    long next = (long) position + bytes;
    @Nullable String hint = next < part.fileBytes() ? null : part.isComplete() ? "eof" : "retry";
    return new LogJson(
        new LogMeta(next, maxBytes, hint),
        new String(part.bytes(), 0, bytes, StandardCharsets.UTF_8));
  }

  /** The number of bytes without an incomplete character at the end. */
  private static int wholeCharacters(byte[] utf8) {
    for (int back = 1; back <= Math.min(MAX_UTF8_BYTES, utf8.length); back++) {
      int b = utf8[utf8.length - back] & 0xFF;
      if (b < 0x80) {
        return utf8.length - back + 1;
      }
      if (b >= 0xC0) {
        int size = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
        return size <= back ? utf8.length : utf8.length - back;
      }
    }
    return utf8.length;
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return RecordFailures.translate(result);
  }
}
