package io.fjordmq.broker.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Listens to the broker's log: an error is a defect, because no simulated fault is an internal
 * error, except the report of a replica that was halted on purpose. Lower levels are not printed,
 * because crashes here are on purpose.
 */
final class ErrorLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.fjordmq");
  private final Predicate<String> expected;
  private @Nullable String firstError;

  private ErrorLog(Predicate<String> expected) {
    this.expected = expected;
  }

  /**
   * @param expected whether a logged error is expected
   */
  static ErrorLog open(Predicate<String> expected) {
    ErrorLog log = new ErrorLog(expected);
    log.setContext(log.logger.getLoggerContext());
    log.start();
    log.logger.setLevel(Level.ERROR);
    log.logger.setAdditive(false);
    log.logger.addAppender(log);
    return log;
  }

  /** Fails if an unexpected error was logged. */
  void assertNone(Ledger ledger) {
    if (firstError != null) {
      throw ledger.violation("the broker logs an error: " + firstError);
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (firstError == null && !expected.test(event.getFormattedMessage())) {
      IThrowableProxy cause = event.getThrowableProxy();
      String trace = cause == null ? "" : "\n" + ThrowableProxyUtil.asString(cause);
      firstError = event.getFormattedMessage() + trace;
    }
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setAdditive(true);
    logger.setLevel(null);
    stop();
  }
}
