package io.fjordmq.broker.telemetry.otlp;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sends the metrics that Micrometer has encoded, by gRPC. Blocks; called by Micrometer's thread.
 */
final class GrpcMetricsSender implements OtlpMetricsSender {
  private static final MethodDescriptor<byte[], byte[]> EXPORT =
      MethodDescriptor.newBuilder(new Bytes(), new Bytes())
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("opentelemetry.proto.collector.metrics.v1.MetricsService/Export")
          .build();

  private final Channel channel;
  private final Duration timeout;
  private final ExportFailures failures;

  GrpcMetricsSender(Channel channel, Duration timeout, ExportFailures failures) {
    this.channel = channel;
    this.timeout = timeout;
    this.failures = failures;
  }

  /** Messages that are encoded already. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void send(Request request) {
    try {
      ClientCalls.blockingUnaryCall(
          channel,
          EXPORT,
          CallOptions.DEFAULT.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS),
          request.getMetricsData());
    } catch (StatusRuntimeException e) {
      failures.report("metrics", e);
    }
  }
}
