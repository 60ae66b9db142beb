package io.fjordmq.broker.logging;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/**
 * Replaces {@code %msg}: a message occupies one line, even if it contains data from clients.
 * Otherwise, a client identifier with a line break could forge log lines.
 */
public final class OneLineMessage extends ClassicConverter {
  @Override
  public String convert(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    return message == null ? "" : Escapes.oneLine(message);
  }
}
