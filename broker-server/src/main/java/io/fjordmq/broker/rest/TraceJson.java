package io.fjordmq.broker.rest;

import io.fjordmq.broker.trace.PayloadEncoding;
import io.fjordmq.broker.trace.Trace;
import io.fjordmq.broker.trace.TraceFormat;
import io.fjordmq.broker.trace.TraceLogs;
import io.fjordmq.broker.trace.TraceType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A trace. The names are those of EMQX. */
record TraceJson(
    @Field("Name") String name,
    @Field("What the trace matches") TraceType type,
    @Field("The traced client identifier, with the type `clientid`") @Nullable String clientid,
    @Field("The traced topic filter, with the type `topic`") @Nullable String topic,
    @Field("The traced IP address or network, with the type `ip_address`")
        @Nullable String ipAddress,
    @Field("Tenant to which the trace is limited; absent for all tenants") @Nullable String tenant,
    @Field("Whether the trace is in progress") Trace.Status status,
    @Field("How payloads are shown") PayloadEncoding payloadEncode,
    @Field("How lines are written: `text` or `json`") TraceFormat formatter,
    @Field("Who created the trace") String by,
    @Field("When the trace was created") Instant createdAt,
    @Field("When tracing starts") Instant startAt,
    @Field("When tracing ends") Instant endAt,
    @Field("Size of the file on each node, in bytes; absent after a change")
        @Nullable Map<String, Long> logSize,
    @Field(
            "Nodes that do not write lines although the trace is in progress, and why; absent if"
                + " there are none, and after a change")
        @Nullable Map<String, String> logProblems,
    @Field("Nodes that did not respond, and why; absent if all did")
        @Nullable List<String> partial) {

  static TraceJson of(Trace trace, Instant now) {
    return of(trace, now, null, null, null);
  }

  static TraceJson of(TraceLogs.TraceWithFiles listed, Instant now, List<String> problems) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    Map<String, String> logProblems = new LinkedHashMap<>();
    for (TraceLogs.NodeFile file : listed.files()) {
      sizes.put(file.node(), file.bytes());
      if (file.problem() != null) {
        logProblems.put(file.node(), file.problem());
      }
    }
    return of(
        listed.trace(),
        now,
        sizes,
        logProblems.isEmpty() ? null : logProblems,
        problems.isEmpty() ? null : problems);
  }

  private static TraceJson of(
      Trace trace,
      Instant now,
      @Nullable Map<String, Long> sizes,
      @Nullable Map<String, String> logProblems,
      @Nullable List<String> problems) {
    return new TraceJson(
        trace.name(),
        trace.type(),
        valueIf(trace, TraceType.CLIENTID),
        valueIf(trace, TraceType.TOPIC),
        valueIf(trace, TraceType.IP_ADDRESS),
        trace.tenant(),
        trace.status(now),
        trace.payload(),
        trace.format(),
        trace.by(),
        trace.createdAt(),
        trace.startAt(),
        trace.endAt(),
        sizes,
        logProblems,
        problems);
  }

  private static @Nullable String valueIf(Trace trace, TraceType type) {
    return trace.type() == type ? trace.value() : null;
  }
}
