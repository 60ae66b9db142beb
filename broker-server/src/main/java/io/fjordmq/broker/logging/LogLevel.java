package io.fjordmq.broker.logging;

import ch.qos.logback.classic.Level;
import java.util.Locale;

/** The level of a logger: it logs lines of this level and of those before it. */
public enum LogLevel {
  OFF(0),
  ERROR(1),
  WARN(2),
  INFO(3),
  DEBUG(4),
  TRACE(5);

  private final int code;

  LogLevel(int code) {
    this.code = code;
  }

  /** The code of the level between nodes. */
  int code() {
    return code;
  }

  /**
   * Returns the level with this code.
   *
   * @throws IllegalArgumentException if there is none
   */
  static LogLevel ofCode(int code) {
    for (LogLevel level : values()) {
      if (level.code == code) {
        return level;
      }
    }
    throw new IllegalArgumentException("no log level has the code " + code);
  }

  /** The name of the level in the API. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Level toLogback() {
    return Level.toLevel(name());
  }

  /** Logback's level ALL is {@link #TRACE}, its lowest level with lines. */
  static LogLevel of(Level level) {
    return level == Level.ALL ? TRACE : valueOf(level.toString());
  }
}
