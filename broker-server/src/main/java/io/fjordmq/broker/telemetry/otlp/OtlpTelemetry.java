package io.fjordmq.broker.telemetry.otlp;

import ch.qos.logback.classic.LoggerContext;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.Telemetry;
import io.fjordmq.broker.telemetry.TelemetrySettings;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Exports traces, logs and metrics. Each signal has a bounded queue or a fixed number of time
 * series, and its own threads, so that a slow or unreachable collector only causes the loss of
 * exported data.
 */
public final class OtlpTelemetry implements Telemetry {
  private static final String SCOPE = "io.fjordmq.broker";
  private static final Duration SPAN_DELAY = Duration.ofSeconds(1);
  private static final Duration LOG_DELAY = Duration.ofSeconds(1);

  /** Time allowed at shutdown for exporting what is queued. */
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(2);

  private final TelemetrySettings settings;
  private final Map<String, String> resource;
  private final ExportFailures failures;
  private final CollectorChannel collector;
  private @Nullable SdkTracerProvider traces;
  private @Nullable MessageTracer tracer;
  private @Nullable SdkLoggerProvider logs;
  private @Nullable OtlpAppender appender;
  private @Nullable MeterRegistry metrics;

  /**
   * Starts to export traces and logs.
   *
   * @param version the version of the program
   * @param node the id of this node
   * @throws IOException if a file in the settings cannot be used
   */
  public static OtlpTelemetry start(TelemetrySettings settings, String version, String node)
      throws IOException {
    OtlpTelemetry started = new OtlpTelemetry(settings, version, node);
    if (settings.traces()) {
      started.startTraces();
    }
    if (settings.logs()) {
      started.startLogs();
    }
    return started;
  }

  private OtlpTelemetry(TelemetrySettings settings, String version, String node)
      throws IOException {
    this.settings = settings;
    this.resource =
        Map.of(
            "service.name",
            settings.serviceName(),
            "service.version",
            version,
            "service.instance.id",
            node);
    this.failures = new ExportFailures(settings.endpoint());
    this.collector = CollectorChannel.open(settings);
  }

  private Resource resource() {
    AttributesBuilder attributes = Attributes.builder();
    resource.forEach((name, value) -> attributes.put(AttributeKey.stringKey(name), value));
    return Resource.getDefault().merge(Resource.create(attributes.build()));
  }

  private void startTraces() {
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(resource())
            .addSpanProcessor(
                BatchSpanProcessor.builder(
                        new GrpcSpanExporter(collector.channel(), settings.timeout(), failures))
                    .setMaxQueueSize(settings.maxQueuedSpans())
                    .setMaxExportBatchSize(Math.min(512, settings.maxQueuedSpans()))
                    .setScheduleDelay(SPAN_DELAY)
                    .setExporterTimeout(settings.timeout())
                    .build())
            .build();
    traces = provider;
    tracer =
        new SpanTracer(
            provider.get(SCOPE),
            new SpanLimits(
                settings.maxSpansPerSecond(), settings.maxDeliverySpans(), System::nanoTime));
  }

  private void startLogs() {
    SdkLoggerProvider provider =
        SdkLoggerProvider.builder()
            .setResource(resource())
            .addLogRecordProcessor(
                BatchLogRecordProcessor.builder(
                        new GrpcLogExporter(collector.channel(), settings.timeout(), failures))
                    .setMaxQueueSize(settings.maxQueuedLogs())
                    .setMaxExportBatchSize(Math.min(512, settings.maxQueuedLogs()))
                    .setScheduleDelay(LOG_DELAY)
                    .setExporterTimeout(settings.timeout())
                    .build())
            .build();
    logs = provider;
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
      appender = new OtlpAppender(provider);
      appender.attachTo(logback);
    }
  }

  @Override
  public @Nullable MessageTracer tracer() {
    return tracer;
  }

  @Override
  public Optional<MeterRegistry> startMetrics() {
    if (!settings.metrics()) {
      return Optional.empty();
    }
    OtlpConfig config =
        new OtlpConfig() {
          @Override
          public @Nullable String get(String key) {
            return null;
          }

          @Override
          public String url() {
            return settings.endpoint();
          }

          @Override
          public Duration step() {
            return settings.metricsInterval();
          }

          @Override
          public Map<String, String> resourceAttributes() {
            return resource;
          }
        };
    MeterRegistry started =
        OtlpMeterRegistry.builder(config)
            .clock(Clock.SYSTEM)
            .metricsSender(new GrpcMetricsSender(collector.channel(), settings.timeout(), failures))
            .build();
    metrics = started;
    return Optional.of(started);
  }

  @Override
  public void close() {
    if (appender != null) {
      appender.detach();
    }
    CompletableResultCode ended =
        CompletableResultCode.ofAll(
            List.of(
                traces == null ? CompletableResultCode.ofSuccess() : traces.shutdown(),
                logs == null ? CompletableResultCode.ofSuccess() : logs.shutdown()));
    ended.join(FLUSH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    if (metrics != null) {
      closeMetrics(metrics);
    }
    collector.close();
  }

  /**
   * Exports the last metrics. Micrometer waits for a collector that does not respond until the
   * request times out, so another thread waits, until {@link CollectorChannel#close} ends the
   * request.
   */
  private static void closeMetrics(MeterRegistry metrics) {
    Thread closing = new Thread(metrics::close, "otlp-metrics-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(FLUSH_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
