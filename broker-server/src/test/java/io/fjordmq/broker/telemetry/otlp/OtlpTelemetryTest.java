package io.fjordmq.broker.telemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.LoggerContext;
import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.logging.QuotedText;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.PublishSpan;
import io.fjordmq.broker.telemetry.TelemetrySettings;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.OtlpCollector;
import io.fjordmq.broker.testing.OtlpCollector.ReceivedLine;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RecordBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.pkitesting.X509Bundle;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The export to a real gRPC server. */
class OtlpTelemetryTest {
  private static final Logger LOG = LoggerFactory.getLogger("io.fjordmq.Example");
  private static final Message TRACED =
      new Message(
          new Topic("a"),
          new byte[] {1},
          Qos.AT_LEAST_ONCE,
          false,
          RecordBuilder.from(MessageProperties.NONE)
              .with(
                  MessageProperties::userProperties,
                  List.of(
                      new UserProperty(
                          "traceparent",
                          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")))
              .build(),
          "p",
          0,
          Message.NEVER);

  private static RecordBuilder<TelemetrySettings> settings(int port) {
    return RecordBuilder.from(TelemetrySettings.DEFAULTS)
        .with(TelemetrySettings::endpoint, "http://127.0.0.1:" + port)
        .with(TelemetrySettings::logs, false)
        .with(TelemetrySettings::timeout, Duration.ofSeconds(5))
        .with(TelemetrySettings::metricsInterval, Duration.ofSeconds(1));
  }

  private static OtlpTelemetry start(RecordBuilder<TelemetrySettings> settings) {
    try {
      return OtlpTelemetry.start(settings.build(), "1.2.3", "n1");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void trace(OtlpTelemetry telemetry) {
    MessageTracer tracer = Objects.requireNonNull(telemetry.tracer());
    PublishSpan span =
        Objects.requireNonNull(tracer.beginPublish(TRACED, "t", "p", MessageTracer.Origin.CLIENT));
    span.beginRoute().end(1, 2, 3);
    span.beginStore(2).end(null);
    span.end("quota_exceeded");
  }

  @Test
  void shouldExportSpans() {
    try (OtlpCollector collector = new OtlpCollector();
        OtlpTelemetry telemetry =
            start(
                settings(collector.port())
                    .with(TelemetrySettings::headers, "authorization=Bearer secret"))) {
      trace(telemetry);
      Await.until("the spans arrive", () -> collector.spans.size() == 3);
      assertThat(collector.spans("publish"))
          .singleElement()
          .satisfies(
              span -> {
                assertThat(span.node()).isEqualTo("n1");
                assertThat(span.isError()).isTrue();
                assertThat(span.attributes()).containsEntry("error.type", "quota_exceeded");
              });
      assertThat(collector.resources.get(0))
          .containsEntry("service.name", "fjordmq")
          .containsEntry("service.version", "1.2.3")
          .containsEntry("service.instance.id", "n1");
      assertThat(collector.authorizations).contains("Bearer secret");
      assertThat(collector.lines).isEmpty();
    }
  }

  @Test
  void shouldExportWhatIsQueuedWhenItIsClosed() {
    try (OtlpCollector collector = new OtlpCollector()) {
      OtlpTelemetry telemetry = start(settings(collector.port()));
      trace(telemetry);
      telemetry.close();
      assertThat(collector.spans).hasSize(3);
    }
  }

  @Test
  void shouldUseTls(@TempDir Path folder) {
    Certs certs = new Certs(folder);
    X509Bundle server = certs.server();
    try (OtlpCollector collector =
            new OtlpCollector(
                0,
                certs.certificate("server", server).toFile(),
                certs.key("server", server).toFile());
        OtlpTelemetry telemetry =
            start(
                settings(collector.port())
                    .with(TelemetrySettings::endpoint, "https://127.0.0.1:" + collector.port())
                    .with(TelemetrySettings::trustFile, certs.authorityFile().toString()))) {
      trace(telemetry);
      Await.until("the spans arrive", () -> collector.spans.size() == 3);
    }
  }

  @Test
  void shouldSurviveACollectorThatIsGone() {
    int port;
    try (OtlpCollector collector = new OtlpCollector()) {
      port = collector.port();
    }
    try (OtlpTelemetry telemetry =
        start(settings(port).with(TelemetrySettings::maxQueuedSpans, 10))) {
      for (int i = 0; i < 1_000; i++) {
        trace(telemetry); // neither blocks nor fails
      }
      try (OtlpCollector collector = new OtlpCollector(port, null, null)) {
        Await.until(
            "spans arrive again",
            () -> {
              trace(telemetry);
              return !collector.spans.isEmpty();
            });
      }
    }
  }

  @Test
  void shouldExportLogLines() {
    try (OtlpCollector collector = new OtlpCollector();
        OtlpTelemetry telemetry =
            start(
                settings(collector.port())
                    .with(TelemetrySettings::logs, true)
                    .with(TelemetrySettings::traces, false))) {
      assertThat(telemetry.tracer()).isNull();
      LOG.error(
          "Test line client={} ms={}",
          new QuotedText("a b"),
          5,
          new IllegalStateException("test exception"));
      LoggerFactory.getLogger("io.grpc.Test").error("not exported");
      Await.until(
          "the line arrives",
          () -> collector.lines.stream().anyMatch(line -> line.body().startsWith("Test line")));
      ReceivedLine line =
          collector.lines.stream()
              .filter(any -> any.body().startsWith("Test line"))
              .findFirst()
              .orElseThrow();
      assertThat(line.body()).isEqualTo("Test line client=\"a b\" ms=5");
      assertThat(line.logger()).isEqualTo("io.fjordmq.Example");
      assertThat(line.severity()).isEqualTo("ERROR");
      assertThat(line.node()).isEqualTo("n1");
      assertThat(line.attributes())
          .containsEntry("client", "a b")
          .containsEntry("ms", "5")
          .containsEntry("thread.name", Thread.currentThread().getName())
          .containsEntry("exception.type", "java.lang.IllegalStateException")
          .containsEntry("exception.message", "test exception")
          .containsKey("exception.stacktrace");
      assertThat(collector.lines).noneMatch(any -> any.logger().startsWith("io.grpc"));
    }
    LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
    assertThat(logback.getLogger("ROOT").getAppender("OTLP")).as("detached").isNull();
  }

  @Test
  void shouldExportTheMetricsOfTheBroker() {
    try (OtlpCollector collector = new OtlpCollector();
        OtlpTelemetry telemetry = start(settings(collector.port()));
        BrokerMetrics metrics = new BrokerMetrics("1.2.3", true)) {
      MeterRegistry exporter = telemetry.startMetrics().orElseThrow();
      metrics.exportTo(exporter);
      metrics.sessions().onReceived(Qos.AT_LEAST_ONCE, 100);
      Await.until(
          "a count arrives",
          () ->
              collector.metrics.stream()
                  .filter(metric -> metric.getName().startsWith("fjordmq."))
                  .flatMap(metric -> metric.getSum().getDataPointsList().stream())
                  .anyMatch(point -> point.getAsDouble() == 100));
      assertThat(collector.metrics)
          .extracting(Metric::getName)
          .contains("jvm.memory.used", "fjordmq.build.info");
      assertThat(collector.resources)
          .anySatisfy(
              resource ->
                  assertThat(resource)
                      .containsAllEntriesOf(
                          Map.of("service.name", "fjordmq", "service.instance.id", "n1")));
      assertThat(metrics.scrape(MetricsFormat.PROMETHEUS)).contains("fjordmq_build_info");
    }
  }

  @Test
  void shouldNotWaitForACollectorThatHangsWhenItIsClosed() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      OtlpTelemetry telemetry =
          start(
              settings(silent.getLocalPort())
                  .with(TelemetrySettings::metricsInterval, Duration.ofHours(1))
                  .with(TelemetrySettings::timeout, Duration.ofMinutes(1)));
      telemetry.startMetrics().orElseThrow().counter("example").increment();
      trace(telemetry);
      long began = System.nanoTime();
      telemetry.close();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
    }
  }

  @Test
  void shouldRejectUnusableFiles(@TempDir Path folder) {
    TelemetrySettings broken =
        settings(1).with(TelemetrySettings::headersFile, folder + "/none").build();
    assertThatThrownBy(() -> OtlpTelemetry.start(broken, "1", "n1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/none");
  }
}
