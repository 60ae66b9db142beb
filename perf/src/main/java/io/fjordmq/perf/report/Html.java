package io.fjordmq.perf.report;

/** Escapes text for HTML. */
final class Html {
  private Html() {}

  /** Escapes markup; the result is also safe inside quotes. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
