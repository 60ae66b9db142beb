package io.fjordmq.broker.logging;

/** The format of log lines. */
public enum LogFormat {
  /** Human-readable text. */
  TEXT,
  /** One JSON object per line, for programs that collect logs. */
  JSON
}
