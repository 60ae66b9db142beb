package io.fjordmq.broker.telemetry.otlp;

import io.grpc.Channel;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.collector.logs.v1.LogsServiceGrpc;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Sends log lines to the collector, in a scope for each logger. Does not block. */
record GrpcLogExporter(Channel channel, Duration timeout, ExportFailures failures)
    implements LogRecordExporter {
  @Override
  public CompletableResultCode export(Collection<LogRecordData> lines) {
    if (lines.isEmpty()) {
      return CompletableResultCode.ofSuccess();
    }
    Map<InstrumentationScopeInfo, ScopeLogs.Builder> scopes = new LinkedHashMap<>();
    for (LogRecordData line : lines) {
      scopes
          .computeIfAbsent(
              line.getInstrumentationScopeInfo(),
              scope -> ScopeLogs.newBuilder().setScope(OtlpEncoding.scope(scope)))
          .addLogRecords(OtlpEncoding.line(line));
    }
    ResourceLogs.Builder resource =
        ResourceLogs.newBuilder()
            .setResource(OtlpEncoding.resource(lines.iterator().next().getResource()));
    scopes.values().forEach(resource::addScopeLogs);
    ExportResponse<ExportLogsServiceResponse> response =
        new ExportResponse<>(
            "log lines",
            received -> received.getPartialSuccess().getRejectedLogRecords(),
            failures);
    LogsServiceGrpc.newStub(channel)
        .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .export(ExportLogsServiceRequest.newBuilder().addResourceLogs(resource).build(), response);
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
