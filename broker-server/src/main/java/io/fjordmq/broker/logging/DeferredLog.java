package io.fjordmq.broker.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.util.StatusPrinter2;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that is off until its directory is known. Reading the configuration can create loggers, for
 * example those of the libraries of providers; without this, the first of them would open a log
 * file in the default directory, and the log would stay there.
 */
public final class DeferredLog {
  private static final String CONFIGURATION = "logback.configurationFile";

  private final @Nullable String configuration;

  private DeferredLog(@Nullable String configuration) {
    this.configuration = configuration;
  }

  /** Switches the log off. Call this before the first logger is created. */
  public static DeferredLog off() {
    return new DeferredLog(System.setProperty(CONFIGURATION, "logback-off.xml"));
  }

  /**
   * Opens the log with the configuration of this process, which may use system properties that have
   * been set in the meantime.
   */
  public void open() {
    if (configuration == null) {
      System.clearProperty(CONFIGURATION);
    } else {
      System.setProperty(CONFIGURATION, configuration);
    }
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && context.getLogger(Logger.ROOT_LOGGER_NAME).getLevel() == Level.OFF) {
      Reload.reload(context); // a logger was created while the log was off
    }
  }

  /**
   * A class of its own, because verifying the outer one would load classes of the log too early.
   */
  private static final class Reload {
    private static void reload(LoggerContext context) {
      context.reset();
      try {
        new ContextInitializer(context).autoConfig();
      } catch (JoranException e) {
        System.err.println("fjordmq: cannot read the configuration of the log: " + e.getMessage());
      }
      new StatusPrinter2().printInCaseOfErrorsOrWarnings(context);
    }
  }
}
