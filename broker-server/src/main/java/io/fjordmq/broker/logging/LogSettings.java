package io.fjordmq.broker.logging;

/**
 * Settings for the log.
 *
 * @param format the format of log lines
 * @param clientConnections whether to log each client that connects or disconnects
 */
public record LogSettings(LogFormat format, boolean clientConnections) {
  /** The defaults. A reconnect storm would fill the log with lines about clients. */
  public static final LogSettings DEFAULTS = new LogSettings(LogFormat.TEXT, false);
}
