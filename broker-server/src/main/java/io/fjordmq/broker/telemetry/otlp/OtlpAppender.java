package io.fjordmq.broker.telemetry.otlp;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.fjordmq.broker.logging.LogFields;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.logs.Severity;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Passes log lines to the OpenTelemetry SDK, which exports them from a bounded queue. The lines of
 * the exporters themselves are left out; otherwise each failure would be exported and fail again.
 * Thread-safe.
 */
final class OtlpAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements LoggerContextListener {
  private static final List<String> OWN =
      List.of("io.opentelemetry.", "io.grpc.", OtlpAppender.class.getPackageName() + ".");
  private static final AttributeKey<String> THREAD = AttributeKey.stringKey("thread.name");
  private static final AttributeKey<String> EXCEPTION_TYPE =
      AttributeKey.stringKey("exception.type");
  private static final AttributeKey<String> EXCEPTION_MESSAGE =
      AttributeKey.stringKey("exception.message");
  private static final AttributeKey<String> STACK_TRACE =
      AttributeKey.stringKey("exception.stacktrace");

  private final LoggerProvider provider;

  OtlpAppender(LoggerProvider provider) {
    this.provider = provider;
  }

  /** Receives the lines of all loggers from now on, even after logback has reread its file. */
  void attachTo(LoggerContext logback) {
    setContext(logback);
    setName("OTLP");
    logback.addListener(this);
    onReset(logback);
  }

  void detach() {
    LoggerContext logback = (LoggerContext) getContext();
    logback.removeListener(this);
    logback.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(this);
    stop();
  }

  @Override
  public boolean isResetResistant() {
    return true;
  }

  @Override
  public void onReset(LoggerContext logback) {
    start();
    logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(this);
  }

  @Override
  public void onStart(LoggerContext logback) {
    // The appender is attached by attachTo.
  }

  @Override
  public void onStop(LoggerContext logback) {
    // No lines follow.
  }

  @Override
  public void onLevelChange(Logger logger, Level level) {
    // The loggers already filter by level.
  }

  @Override
  protected void append(ILoggingEvent event) {
    String name = event.getLoggerName();
    if (OWN.stream().anyMatch(name::startsWith)) {
      return;
    }
    LogRecordBuilder line =
        provider
            .get(name)
            .logRecordBuilder()
            .setTimestamp(event.getTimeStamp(), TimeUnit.MILLISECONDS)
            .setSeverity(severity(event.getLevel()))
            .setSeverityText(event.getLevel().toString())
            .setBody(String.valueOf(event.getFormattedMessage()))
            .setAttribute(THREAD, event.getThreadName());
    LogFields.forEach(
        event,
        (key, value) -> {
          if (value instanceof Long || value instanceof Integer) {
            line.setAttribute(AttributeKey.longKey(key), ((Number) value).longValue());
          } else if (value != null) {
            line.setAttribute(AttributeKey.stringKey(key), value.toString());
          }
        });
    IThrowableProxy exception = event.getThrowableProxy();
    if (exception != null) {
      line.setAttribute(EXCEPTION_TYPE, exception.getClassName())
          .setAttribute(EXCEPTION_MESSAGE, String.valueOf(exception.getMessage()))
          .setAttribute(STACK_TRACE, ThrowableProxyUtil.asString(exception));
    }
    line.emit();
  }

  private static Severity severity(Level level) {
    return switch (level.toInt()) {
      case Level.ERROR_INT -> Severity.ERROR;
      case Level.WARN_INT -> Severity.WARN;
      case Level.INFO_INT -> Severity.INFO;
      case Level.DEBUG_INT -> Severity.DEBUG;
      default -> Severity.TRACE;
    };
  }
}
