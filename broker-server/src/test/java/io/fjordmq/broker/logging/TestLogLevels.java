package io.fjordmq.broker.logging;

import ch.qos.logback.classic.LoggerContext;
import io.fjordmq.common.ManualTimers;

/** The log levels of a node that does not share its loggers with others of the test. */
public final class TestLogLevels {
  public final LoggerContext context = new LoggerContext();
  public final ManualTimers timers = new ManualTimers();
  public final LogLevels levels = new LogLevels(context, LogSettings.DEFAULTS, timers, timers);
}
