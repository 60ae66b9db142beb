package io.fjordmq.broker.trace;

import java.util.Locale;

/** How a trace shows the payloads of messages. The names are those of EMQX. */
public enum PayloadEncoding {
  /** Only the number of bytes. */
  HIDDEN,
  /** As text in UTF-8; other bytes are replaced. */
  TEXT,
  /** As hexadecimal digits. */
  HEX;

  /** The name of the encoding for operators. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
