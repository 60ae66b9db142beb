package io.fjordmq.broker.logging;

/**
 * Text from a client as the value of a {@code key=value} pair in a log line. Texts that could be
 * mistaken for other pairs, or for other lines, are quoted: spaces, quotes, and control characters,
 * which are also escaped.
 *
 * @param raw the text as the client sent it
 */
public record QuotedText(String raw) {

  @Override
  public String toString() {
    return isPlain() ? raw : "\"" + Escapes.quoted(raw) + "\"";
  }

  private boolean isPlain() {
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c <= ' ' || c == '"' || c == '=' || c == '\\' || Escapes.breaksLine(c)) {
        return false;
      }
    }
    return !raw.isEmpty();
  }
}
