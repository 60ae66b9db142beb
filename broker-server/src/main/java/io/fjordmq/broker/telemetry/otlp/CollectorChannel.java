package io.fjordmq.broker.telemetry.otlp;

import io.fjordmq.broker.telemetry.CollectorFiles;
import io.fjordmq.broker.telemetry.TelemetrySettings;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The connection to the collector, which all exporters share. It has its own thread. */
final class CollectorChannel implements AutoCloseable {
  private static final int DEFAULT_PORT = 4317;
  private static final String USER_AGENT = "OTel-OTLP-Exporter-Java FjordMQ";
  private static final String SERVICE = "opentelemetry.proto.collector.%s.v1.%sService";

  /** As the OTLP specification says: these failures are transient, so the request is retried. */
  private static final Map<String, ?> RETRIES =
      Map.of(
          "methodConfig",
          List.of(
              Map.of(
                  "name",
                  Stream.of(
                          SERVICE.formatted("trace", "Trace"),
                          SERVICE.formatted("logs", "Logs"),
                          SERVICE.formatted("metrics", "Metrics"))
                      .map(service -> Map.of("service", service))
                      .toList(),
                  "retryPolicy",
                  Map.of(
                      "maxAttempts",
                      5.0,
                      "initialBackoff",
                      "1s",
                      "maxBackoff",
                      "5s",
                      "backoffMultiplier",
                      1.5,
                      "retryableStatusCodes",
                      List.of(
                          "CANCELLED",
                          "DEADLINE_EXCEEDED",
                          "RESOURCE_EXHAUSTED",
                          "ABORTED",
                          "OUT_OF_RANGE",
                          "UNAVAILABLE",
                          "DATA_LOSS")))));

  private final MultiThreadIoEventLoopGroup loop;
  private final ManagedChannel channel;

  private CollectorChannel(MultiThreadIoEventLoopGroup loop, ManagedChannel channel) {
    this.loop = loop;
    this.channel = channel;
  }

  /**
   * Opens a channel, which connects when it is first used.
   *
   * @throws IOException if a file cannot be used
   */
  static CollectorChannel open(TelemetrySettings settings) throws IOException {
    URI endpoint = URI.create(settings.endpoint());
    Metadata headers = new Metadata();
    CollectorFiles.headers(settings)
        .forEach(
            (name, value) ->
                headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
            endpoint.getHost(), endpoint.getPort() < 0 ? DEFAULT_PORT : endpoint.getPort());
    if (settings.isTls()) {
      SslContextBuilder tls = GrpcSslContexts.forClient();
      List<X509Certificate> trusted = CollectorFiles.trusted(settings);
      if (!trusted.isEmpty()) {
        tls.trustManager(trusted);
      }
      builder.sslContext(tls.build());
    } else {
      builder.usePlaintext();
    }
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("otlp-io", true), NioIoHandler.newFactory());
    ManagedChannel channel =
        builder
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .directExecutor() // callbacks only complete the results of exports
            .userAgent(USER_AGENT)
            .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
            .defaultServiceConfig(RETRIES)
            .enableRetry()
            .build();
    return new CollectorChannel(loop, channel);
  }

  ManagedChannel channel() {
    return channel;
  }

  /** Closes the connection; requests in progress fail. */
  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
