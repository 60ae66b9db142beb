package io.fjordmq.broker.testing;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.collector.logs.v1.LogsServiceGrpc;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An OpenTelemetry collector: a gRPC server on a loopback port that keeps what it receives. */
public final class OtlpCollector implements AutoCloseable {
  private static final HexFormat HEX = HexFormat.of();

  /** A span; ids are hexadecimal, and numbers among the attributes are decimal texts. */
  public record ReceivedSpan(
      String node,
      String name,
      String traceId,
      String spanId,
      String parentId,
      Span.SpanKind kind,
      long nanos,
      boolean isError,
      Map<String, String> attributes) {}

  /** A log line. */
  public record ReceivedLine(
      String node, String logger, String severity, String body, Map<String, String> attributes) {}

  public final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();
  public final List<ReceivedLine> lines = new CopyOnWriteArrayList<>();
  public final List<Metric> metrics = new CopyOnWriteArrayList<>();
  public final List<Map<String, String>> resources = new CopyOnWriteArrayList<>();

  /** The values of the header {@code authorization}. */
  public final List<String> authorizations = new CopyOnWriteArrayList<>();

  private final Server server;

  /** Starts a collector without TLS on a free port. */
  public OtlpCollector() {
    this(0, null, null);
  }

  /**
   * Starts a collector.
   *
   * @param port 0 for a free port
   * @param certificate PEM file; null for a collector without TLS
   */
  public OtlpCollector(int port, @Nullable File certificate, @Nullable File key) {
    try {
      NettyServerBuilder builder =
          NettyServerBuilder.forAddress(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      if (certificate != null && key != null) {
        builder.sslContext(GrpcSslContexts.forServer(certificate, key).build());
      }
      server =
          builder
              .addService(new Traces())
              .addService(new Logs())
              .addService(new Metrics())
              .intercept(new Headers())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** Returns the spans of this name. */
  public List<ReceivedSpan> spans(String name) {
    return spans.stream().filter(span -> span.name().equals(name)).toList();
  }

  private final class Headers implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      String value =
          headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
      if (value != null) {
        authorizations.add(value);
      }
      return next.startCall(call, headers);
    }
  }

  private final class Traces extends TraceServiceGrpc.TraceServiceImplBase {
    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> response) {
      request
          .getResourceSpansList()
          .forEach(
              of -> {
                resources.add(attributes(of.getResource()));
                of.getScopeSpansList()
                    .forEach(
                        scope ->
                            scope
                                .getSpansList()
                                .forEach(span -> spans.add(spanOf(of.getResource(), span))));
              });
      response.onNext(ExportTraceServiceResponse.getDefaultInstance());
      response.onCompleted();
    }
  }

  private static ReceivedSpan spanOf(Resource resource, Span span) {
    return new ReceivedSpan(
        nodeOf(resource),
        span.getName(),
        HEX.formatHex(span.getTraceId().toByteArray()),
        HEX.formatHex(span.getSpanId().toByteArray()),
        HEX.formatHex(span.getParentSpanId().toByteArray()),
        span.getKind(),
        span.getEndTimeUnixNano() - span.getStartTimeUnixNano(),
        span.getStatus().getCodeValue() == 2,
        attributes(span.getAttributesList()));
  }

  private final class Logs extends LogsServiceGrpc.LogsServiceImplBase {
    @Override
    public void export(
        ExportLogsServiceRequest request, StreamObserver<ExportLogsServiceResponse> response) {
      request
          .getResourceLogsList()
          .forEach(
              of ->
                  of.getScopeLogsList()
                      .forEach(
                          scope ->
                              scope
                                  .getLogRecordsList()
                                  .forEach(
                                      line ->
                                          lines.add(
                                              lineOf(
                                                  nodeOf(of.getResource()),
                                                  scope.getScope().getName(),
                                                  line)))));
      response.onNext(ExportLogsServiceResponse.getDefaultInstance());
      response.onCompleted();
    }
  }

  private static ReceivedLine lineOf(String node, String logger, LogRecord line) {
    return new ReceivedLine(
        node,
        logger,
        line.getSeverityText(),
        line.getBody().getStringValue(),
        attributes(line.getAttributesList()));
  }

  private final class Metrics extends MetricsServiceGrpc.MetricsServiceImplBase {
    @Override
    public void export(
        ExportMetricsServiceRequest request,
        StreamObserver<ExportMetricsServiceResponse> response) {
      request
          .getResourceMetricsList()
          .forEach(
              of -> {
                resources.add(attributes(of.getResource()));
                of.getScopeMetricsList().forEach(scope -> metrics.addAll(scope.getMetricsList()));
              });
      response.onNext(ExportMetricsServiceResponse.getDefaultInstance());
      response.onCompleted();
    }
  }

  private static String nodeOf(Resource resource) {
    return attributes(resource).getOrDefault("service.instance.id", "");
  }

  private static Map<String, String> attributes(Resource resource) {
    return attributes(resource.getAttributesList());
  }

  private static Map<String, String> attributes(List<KeyValue> list) {
    Map<String, String> attributes = new LinkedHashMap<>();
    list.forEach(pair -> attributes.put(pair.getKey(), text(pair.getValue())));
    return attributes;
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case INT_VALUE -> Long.toString(value.getIntValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      default -> value.getStringValue();
    };
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
