package io.fjordmq.perf.report;

/** Text for HTML. */
final class Html {
  private Html() {}

  /** Nothing in it is taken for markup, in quotes neither. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
