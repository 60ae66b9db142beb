package io.fjordmq.perf.report;

/** Escapes text for HTML. */
final class Html {
  private Html() {}

  /** Escapes markup and double quotes, so that the result can also be used in attribute values. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
