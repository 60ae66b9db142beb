package io.fjordmq.broker.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What conf/logback.xml writes to the log file. */
class LogFileTest {
  private static final Path FILE = Path.of("../conf/logback.xml");

  @TempDir Path folder;

  /** Logs with this format; returns the lines of the file. */
  private List<String> lines(String format, Consumer<Logger> log) {
    LoggerContext context = new LoggerContext();
    try {
      context.setMDCAdapter(MDC.getMDCAdapter());
      context.putProperty("fjordmq.logDir", folder.toString());
      context.putProperty("fjordmq.logFormat", format);
      context.putProperty("fjordmq.console", "OFF");
      JoranConfigurator configurator = new JoranConfigurator();
      configurator.setContext(context);
      configurator.doConfigure(FILE.toFile());
      log.accept(context.getLogger("io.fjordmq.Example"));
      assertThat(context.getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getLevel() >= Status.WARN)
          .isEmpty();
    } catch (JoranException e) {
      throw new AssertionError(e);
    } finally {
      context.stop();
    }
    try {
      return Files.readAllLines(folder.resolve("fjordmq.log"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldWriteTextOnOneLine() {
    List<String> lines =
        lines(
            "text",
            log -> {
              log.info("Client connected client={} ms={}", "a\n2026 ERROR forged\u001b[31m", 5);
              log.info("Client connected client={}", new QuotedText("a b\nc"));
            });
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .matches(
            "\\d{4}-\\d\\d-\\d\\dT[0-9:.]+(Z|[+-][0-9:]+) INFO .* Example - Client connected"
                + " client=a\\\\n2026 ERROR forged\\\\u001b\\[31m ms=5");
    assertThat(lines.get(1)).endsWith("Client connected client=\"a b\\nc\"");
  }

  @Test
  void shouldWriteJson() {
    List<String> lines =
        lines(
            "JSON",
            log -> {
              log.warn(
                  "Disk \"slow\": {} ms={} path={} text={} on={} none={}",
                  "why",
                  5L,
                  Path.of("/a b"),
                  new QuotedText("x\ny"),
                  true,
                  null);
              log.error("Failed", new IllegalStateException("no\nluck"));
              MDC.put("key", "value");
              log.atInfo().addKeyValue("pair", 1).log("ü\ud800");
              MDC.clear();
            });
    assertThat(lines).hasSize(3);
    JsonMapper mapper = JsonMapper.builder().build();
    JsonNode first = mapper.readTree(lines.get(0));
    assertThat(first.propertyNames())
        .containsExactly("timestamp", "level", "logger", "thread", "message", "fields");
    assertThat(first.get("timestamp").asString()).matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    assertThat(first.get("level").asString()).isEqualTo("WARN");
    assertThat(first.get("logger").asString()).isEqualTo("io.fjordmq.Example");
    assertThat(first.get("thread").asString()).isEqualTo(Thread.currentThread().getName());
    assertThat(first.get("message").asString())
        .isEqualTo("Disk \"slow\": why ms=5 path=/a b text=\"x\\ny\" on=true none=null");
    assertThat(first.get("fields"))
        .isEqualTo(
            mapper.readTree(
                "{\"ms\":5,\"path\":\"/a b\",\"text\":\"x\\ny\",\"on\":true,\"none\":null}"));
    JsonNode second = mapper.readTree(lines.get(1));
    assertThat(second.get("exception").asString())
        .startsWith("java.lang.IllegalStateException: no\nluck")
        .contains("LogFileTest");
    assertThat(second.has("fields")).isFalse();
    JsonNode third = mapper.readTree(lines.get(2));
    assertThat(lines.get(2)).contains("\"message\":\"ü\\ud800\"");
    assertThat(third.get("fields")).isEqualTo(mapper.readTree("{\"pair\":1,\"key\":\"value\"}"));
  }

  @Test
  void shouldQuoteOnlyTextsThatNeedIt() {
    assertThat(new QuotedText("sensor-7/a.b@c")).hasToString("sensor-7/a.b@c");
    assertThat(new QuotedText("")).hasToString("\"\"");
    assertThat(new QuotedText("a user=admin")).hasToString("\"a user=admin\"");
    assertThat(new QuotedText("a\"b\\")).hasToString("\"a\\\"b\\\\\"");
    assertThat(new QuotedText("a\u2028\u0000")).hasToString("\"a\\u2028\\u0000\"");
    assertThat(new QuotedText("ü😀")).hasToString("ü😀");
  }
}
