package io.fjordmq.broker.logging;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Writes log lines as text or as JSON. {@code conf/logback.xml} sets the two properties: {@code
 * format}, whose value comes from the configuration of the node, and {@code pattern} for text.
 * Thread-safe once started.
 */
public final class LogEncoder extends PatternLayoutEncoder {
  private final JsonLine json = new JsonLine();
  private LogFormat format = LogFormat.TEXT;

  /**
   * Sets the format; called by logback.
   *
   * @param name {@code text} or {@code json}
   */
  public void setFormat(String name) {
    try {
      format = LogFormat.valueOf(name.strip().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      addError("the log format must be text or json, not '" + name + "'", e);
    }
  }

  @Override
  public void start() {
    PatternLayout text = new PatternLayout();
    text.setContext(context);
    text.setPattern(getPattern());
    for (String word : new String[] {"m", "msg", "message"}) {
      text.getInstanceConverterMap().put(word, OneLineMessage::new);
    }
    text.start();
    layout = text;
    started = true;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return format == LogFormat.JSON
        ? json.of(event).getBytes(StandardCharsets.UTF_8)
        : super.encode(event);
  }
}
