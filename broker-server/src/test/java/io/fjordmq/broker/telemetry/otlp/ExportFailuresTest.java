package io.fjordmq.broker.telemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.grpc.Status;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One line says that exports fail, and why. */
class ExportFailuresTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ExportFailures.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final ExportFailures failures = new ExportFailures("http://c:4317");

  ExportFailuresTest() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void detach() {
    logger.detachAppender(lines);
  }

  @Test
  void shouldNameTheCauseOnce() {
    for (int i = 0; i < 1_000; i++) {
      failures.report(
          "spans",
          Status.UNAVAILABLE
              .withDescription("io exception")
              .withCause(new IOException("Connection refused"))
              .asRuntimeException());
    }
    assertThat(lines.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEqualTo(
            "Failed to export spans to OpenTelemetry; check the collector and telemetryConfig:"
                + " UNAVAILABLE: Connection refused endpoint=http://c:4317");
  }

  @Test
  void shouldShowTheAnswerOfTheCollector() {
    failures.report(
        "metrics", Status.UNAUTHENTICATED.withDescription("bad token").asRuntimeException());
    assertThat(lines.list.get(0).getFormattedMessage())
        .startsWith(
            "Failed to export metrics to OpenTelemetry; check the collector and telemetryConfig:"
                + " UNAUTHENTICATED: bad token endpoint=");
  }

  @Test
  void shouldReportRejectedElements() {
    failures.reportRejected("log lines", 7);
    assertThat(lines.list.get(0).getFormattedMessage())
        .startsWith(
            "Failed to export log lines to OpenTelemetry; check the collector and telemetryConfig:"
                + " the collector rejected 7 of them");
  }
}
