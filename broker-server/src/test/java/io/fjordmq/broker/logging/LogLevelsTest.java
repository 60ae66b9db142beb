package io.fjordmq.broker.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import io.fjordmq.common.ManualTimers;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Levels that operators change at run time, and what reading the file again does to them. */
class LogLevelsTest {
  private static final String FILE =
      "<configuration><logger name=\"a.b\" level=\"%s\"/><root level=\"INFO\"/></configuration>";
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  private final LoggerContext context = new LoggerContext();
  private final ManualTimers timers = new ManualTimers();
  private final LogLevels levels = open(LogSettings.DEFAULTS);

  private LogLevels open(LogSettings settings) {
    return new LogLevels(context, settings, timers, timers);
  }

  /** What logback does when it finds that the file has changed. */
  private void readFile(String levelOfFile) {
    try {
      context.reset();
      JoranConfigurator configurator = new JoranConfigurator();
      configurator.setContext(context);
      configurator.doConfigure(
          new ByteArrayInputStream(FILE.formatted(levelOfFile).getBytes(StandardCharsets.UTF_8)));
    } catch (JoranException e) {
      throw new AssertionError(e);
    }
  }

  private Level levelOf(String logger) {
    return context.getLogger(logger).getEffectiveLevel();
  }

  @Test
  void shouldChangeALevelAndEndTheChange() {
    readFile("WARN");
    assertThat(levels.set("a.b", LogLevel.DEBUG, null))
        .isEqualTo(new LoggerLevel("a.b", LogLevel.DEBUG, true, null));
    assertThat(levelOf("a.b.Child")).isEqualTo(Level.DEBUG);
    levels.set("a.b", LogLevel.TRACE, null);
    assertThat(levels.reset("a.b")).isEqualTo(new LoggerLevel("a.b", LogLevel.WARN, false, null));
    assertThat(levelOf("a.b.Child")).isEqualTo(Level.WARN);
    levels.set("a.b.Child", LogLevel.OFF, null);
    assertThat(levels.reset("a.b.Child").level()).isEqualTo(LogLevel.WARN);
    assertThat(context.getLogger("a.b.Child").getLevel()).isNull();
    levels.set("ROOT", LogLevel.ERROR, null);
    assertThat(levels.reset("ROOT").level()).isEqualTo(LogLevel.INFO);
  }

  @Test
  void shouldEndAChangeAfterItsTime() {
    readFile("WARN");
    assertThat(levels.set("a.b", LogLevel.DEBUG, Duration.ofMinutes(10)).until())
        .isEqualTo(NOW.plusSeconds(600));
    timers.advance(Duration.ofMillis(599_999));
    assertThat(levelOf("a.b")).isEqualTo(Level.DEBUG);
    timers.advance(Duration.ofMillis(1));
    assertThat(levelOf("a.b")).isEqualTo(Level.WARN);
  }

  @Test
  void shouldLetTheLatestChangeDecideWhenItEnds() {
    readFile("WARN");
    levels.set("a.b", LogLevel.DEBUG, Duration.ofSeconds(10));
    levels.set("a.b", LogLevel.TRACE, null);
    timers.advance(Duration.ofSeconds(20));
    assertThat(levelOf("a.b")).isEqualTo(Level.TRACE);
  }

  @Test
  void shouldNotCollectTimersOfRepeatedChanges() {
    readFile("WARN");
    for (int i = 0; i < 10_000; i++) {
      levels.set("a.b", LogLevel.DEBUG, Duration.ofHours(1).minusMillis(i));
    }
    assertThat(timers.waiting()).isLessThan(100);
    timers.advance(Duration.ofHours(1).minusSeconds(11));
    assertThat(levelOf("a.b")).isEqualTo(Level.DEBUG);
    timers.advance(Duration.ofSeconds(2));
    assertThat(levelOf("a.b")).isEqualTo(Level.WARN);
    assertThat(timers.waiting()).isZero();
  }

  @Test
  void shouldKeepAChangeWhenTheFileIsReadAgain() {
    readFile("WARN");
    levels.set("a.b", LogLevel.DEBUG, null);
    levels.set("ROOT", LogLevel.WARN, null);
    levels.set("x.y", LogLevel.TRACE, null);
    readFile("ERROR");
    assertThat(levelOf("a.b")).isEqualTo(Level.DEBUG);
    assertThat(levelOf("other")).isEqualTo(Level.WARN);
    assertThat(levelOf("x.y.Z")).isEqualTo(Level.TRACE);
    levels.reset("a.b");
    levels.reset("ROOT");
    levels.reset("x.y");
    assertThat(levelOf("a.b")).as("that of the new file").isEqualTo(Level.ERROR);
    assertThat(levelOf("x.y.Z")).isEqualTo(Level.INFO);
  }

  @Test
  void shouldLogClientsOnlyIfConfigured() {
    readFile("WARN");
    assertThat(levelOf(LogLevels.CLIENTS)).isEqualTo(Level.WARN);
    levels.set(LogLevels.CLIENTS, LogLevel.INFO, null);
    levels.set("io.fjordmq", LogLevel.DEBUG, null);
    assertThat(levelOf(LogLevels.CLIENTS)).isEqualTo(Level.INFO);
    levels.reset(LogLevels.CLIENTS);
    assertThat(levelOf(LogLevels.CLIENTS)).isEqualTo(Level.WARN);
    levels.close();

    try (LogLevels on = open(new LogSettings(LogFormat.TEXT, true))) {
      readFile("WARN");
      assertThat(levelOf(LogLevels.CLIENTS)).isEqualTo(Level.INFO);
      on.set(LogLevels.CLIENTS, LogLevel.OFF, null);
      on.reset(LogLevels.CLIENTS);
      assertThat(levelOf(LogLevels.CLIENTS)).isEqualTo(Level.INFO);
    }
  }

  @Test
  void shouldListTheLoggersThatHaveALevel() {
    readFile("WARN");
    context.getLogger("inherits");
    levels.set("c", LogLevel.DEBUG, Duration.ofSeconds(1));
    assertThat(levels.list())
        .containsExactly(
            new LoggerLevel("ROOT", LogLevel.INFO, false, null),
            new LoggerLevel("a.b", LogLevel.WARN, false, null),
            new LoggerLevel("c", LogLevel.DEBUG, true, NOW.plusSeconds(1)),
            new LoggerLevel(LogLevels.CLIENTS, LogLevel.WARN, false, null));
  }

  @Test
  void shouldFindLoggersByTheirNameOrItsEnd() {
    context.getLogger("p.q.Session");
    context.getLogger("p.r.Store");
    context.getLogger("p.s.Store");
    assertThat(levels.find("root")).containsExactly("ROOT");
    assertThat(levels.find("p.q")).containsExactly("p.q");
    assertThat(levels.find("session")).containsExactly("p.q.Session");
    context.getLogger("p.session.Other");
    assertThat(levels.find("session")).containsExactly("p.session");
    assertThat(levels.find("Session")).containsExactly("p.q.Session");
    assertThat(levels.find("SESSION")).containsExactly("p.q.Session", "p.session");
    assertThat(levels.find("clients")).containsExactly(LogLevels.CLIENTS);
    assertThat(levels.find("Store")).containsExactly("p.r.Store", "p.s.Store");
    String unused = "io.fjordmq.broker.logging.ClusterLogLevels";
    assertThat(levels.find(unused)).as("a class without a logger").containsExactly(unused);
    assertThat(levels.find("p.q.Sesion")).isEmpty();
    assertThat(levels.known()).contains("p.q.Session");
  }

  @Test
  void shouldEndAllChangesWhenItIsClosed() {
    readFile("WARN");
    levels.set("a.b", LogLevel.DEBUG, null);
    levels.close();
    assertThat(levelOf("a.b")).isEqualTo(Level.WARN);
    assertThat(List.copyOf(context.getCopyOfListenerList())).isEmpty();
  }
}
