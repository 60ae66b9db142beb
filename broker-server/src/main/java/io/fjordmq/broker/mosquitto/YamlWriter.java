package io.fjordmq.broker.mosquitto;

import java.util.List;
import java.util.Map;

/** Writes a YAML document. */
final class YamlWriter {
  private static final String INDENT = "  ";

  private final StringBuilder out = new StringBuilder();

  /** A quoted string, which may contain any character of one line. */
  static String text(String value) {
    return "'" + value.replace("'", "''") + "'";
  }

  void comment(String text) {
    out.append(text.isEmpty() ? "#" : "# " + text).append('\n');
  }

  void blankLine() {
    out.append('\n');
  }

  void section(int depth, String name) {
    out.append(INDENT.repeat(depth)).append(name).append(":\n");
  }

  void key(int depth, String name, String value) {
    out.append(INDENT.repeat(depth)).append(name).append(": ").append(value).append('\n');
  }

  /** Sections of one name: a single section, or a list of several. */
  void sections(int depth, String name, List<Map<String, String>> sections) {
    section(depth, name);
    for (Map<String, String> keys : sections) {
      boolean isFirst = true;
      for (Map.Entry<String, String> key : keys.entrySet()) {
        String bullet = sections.size() == 1 ? "" : isFirst ? "- " : INDENT;
        out.append(INDENT.repeat(depth + 1)).append(bullet);
        out.append(key.getKey()).append(": ").append(key.getValue()).append('\n');
        isFirst = false;
      }
    }
  }

  /** Keys with dots, which are grouped into sections. Keys of a section must follow each other. */
  void tree(Map<String, String> dotted) {
    String[] open = {};
    for (Map.Entry<String, String> entry : dotted.entrySet()) {
      String[] path = entry.getKey().split("\\.", -1);
      for (int depth = 0; depth < path.length - 1; depth++) {
        if (!isOpen(open, path, depth)) {
          section(depth, path[depth]);
        }
      }
      key(path.length - 1, path[path.length - 1], entry.getValue());
      open = path;
    }
  }

  private static boolean isOpen(String[] open, String[] path, int depth) {
    for (int i = 0; i <= depth; i++) {
      if (i >= open.length - 1 || !open[i].equals(path[i])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
