package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * Which provider denied something to a client, and why. Texts are empty if there is none.
 *
 * @param provider the provider that decided, e.g. {@code securityConfig.aclFile}
 * @param rule the rule that decided, with the line of its file
 * @param detail further explanation
 */
public record Denial(String provider, String rule, String detail) {
  /** No denial. */
  public static final Denial NONE = new Denial("", "", "");

  public Denial {
    provider = EventText.shortened(provider);
    rule = EventText.shortened(rule);
    detail = EventText.shortened(detail);
  }

  /** A denial without a provider or rule. */
  public static Denial of(String detail) {
    return new Denial("", "", detail);
  }

  int chars() {
    return provider.length() + rule.length() + detail.length();
  }

  /** Returns the explanation, e.g. {@code user 'x' is denied by passwordFile: wrong password}. */
  String text(String subject) {
    if (provider.isEmpty()) {
      return rule.isEmpty() ? detail : EventText.joined(detail, ": ", rule);
    }
    String by = subject + " is denied by " + provider;
    return EventText.joined(EventText.joined(by, ": ", rule), ": ", detail);
  }

  void write(ByteWriter out) {
    out.writeString(provider).writeString(rule).writeString(detail);
  }

  static Denial read(ByteReader in) {
    return new Denial(in.readString(), in.readString(), in.readString());
  }
}
