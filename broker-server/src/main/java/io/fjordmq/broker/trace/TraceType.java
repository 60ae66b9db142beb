package io.fjordmq.broker.trace;

import java.util.Locale;

/** The property that a trace matches. The names are those of EMQX. */
public enum TraceType {
  /** The client identifier. */
  CLIENTID,
  /** The topic of messages, compared with a topic filter. */
  TOPIC,
  /** The IP address of clients, compared with an address or network. */
  IP_ADDRESS;

  /** The name of the type for operators. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
