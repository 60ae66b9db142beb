package io.fjordmq.broker.telemetry.otlp;

import io.grpc.Channel;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/** Sends spans to the collector. All of them have the same resource and scope. Does not block. */
record GrpcSpanExporter(Channel channel, Duration timeout, ExportFailures failures)
    implements SpanExporter {
  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    if (spans.isEmpty()) {
      return CompletableResultCode.ofSuccess();
    }
    SpanData first = spans.iterator().next();
    ScopeSpans.Builder scope =
        ScopeSpans.newBuilder().setScope(OtlpEncoding.scope(first.getInstrumentationScopeInfo()));
    spans.forEach(span -> scope.addSpans(OtlpEncoding.span(span)));
    ExportTraceServiceRequest request =
        ExportTraceServiceRequest.newBuilder()
            .addResourceSpans(
                ResourceSpans.newBuilder()
                    .setResource(OtlpEncoding.resource(first.getResource()))
                    .addScopeSpans(scope))
            .build();
    ExportResponse<ExportTraceServiceResponse> response =
        new ExportResponse<>(
            "spans", received -> received.getPartialSuccess().getRejectedSpans(), failures);
    TraceServiceGrpc.newStub(channel)
        .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .export(request, response);
    return response.result();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess(); // nothing is queued here
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess(); // the channel is closed by its owner
  }
}
