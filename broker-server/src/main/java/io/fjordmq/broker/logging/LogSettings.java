package io.fjordmq.broker.logging;

/**
 * Settings for the log.
 *
 * @param format the format of log lines
 * @param clientConnections whether to log each client that connects or disconnects
 */
public record LogSettings(LogFormat format, boolean clientConnections) {
  /** The defaults. Clients are not logged, because a reconnect storm would fill the log. */
  public static final LogSettings DEFAULTS = new LogSettings(LogFormat.TEXT, false);
}
