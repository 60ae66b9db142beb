package io.fjordmq.perf.report;

/** Escapes text for HTML. */
final class Html {
  private Html() {}

  /** The text without markup; also safe inside quotes. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
