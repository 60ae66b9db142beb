package io.fjordmq.cli.output;

import io.fjordmq.cli.output.Column.Align;
import io.fjordmq.cli.output.Column.Shown;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A table without borders. On a terminal, cells are aligned, and long texts are cut so that a row
 * fits into a line. Otherwise, cells are complete and separated by tabs. Not thread-safe.
 */
public final class Table {
  private static final int GAP = 2;
  private static final int MIN_WIDTH = 8;
  private static final String NO_VALUE = "-";

  private final List<Column> columns;
  private final int terminalWidth;
  private final PrintWriter out;
  private @Nullable Layout layout;

  /** The columns that are shown, and their widths. */
  private record Layout(int[] columns, int[] widths) {}

  /**
   * @param terminalWidth the number of columns of the terminal; 0 if the output is no terminal
   */
  public Table(List<Column> columns, int terminalWidth, PrintWriter out) {
    this.columns = columns;
    this.terminalWidth = terminalWidth;
    this.out = out;
  }

  /** Prints rows. The first call also prints the headers and determines the widths. */
  public void print(List<JsonNode> elements) {
    List<String[]> rows = new ArrayList<>();
    for (JsonNode element : elements) {
      rows.add(columns.stream().map(column -> column.cell(element)).toArray(String[]::new));
    }
    if (layout == null) {
      layout = layout(rows);
      print(layout, columns.stream().map(Column::header).toArray(String[]::new));
    }
    for (String[] row : rows) {
      print(layout, row);
    }
  }

  private Layout layout(List<String[]> rows) {
    int[] natural = new int[columns.size()];
    for (int i = 0; i < natural.length; i++) {
      int column = i;
      natural[i] =
          Math.max(
              columns.get(i).header().length(),
              rows.stream().mapToInt(row -> TerminalText.width(row[column])).max().orElse(0));
    }
    List<Integer> shown = new ArrayList<>();
    for (int i = 0; i < natural.length; i++) {
      int column = i;
      boolean isHidden =
          terminalWidth > 0
              && columns.get(i).shown() == Shown.WITH_VALUES
              && rows.stream().allMatch(row -> row[column].isEmpty());
      if (!isHidden) {
        shown.add(i);
      }
    }
    if (terminalWidth > 0) {
      dropColumns(shown, natural);
    }
    int[] widths = shown.stream().mapToInt(column -> natural[column]).toArray();
    if (terminalWidth > 0) {
      shrink(shown, widths);
    }
    return new Layout(shown.stream().mapToInt(Integer::intValue).toArray(), widths);
  }

  /** Drops columns for wide terminals from the right until a row fits, as far as possible. */
  private void dropColumns(List<Integer> shown, int[] natural) {
    for (int i = shown.size() - 1; i >= 0; i--) {
      int[] widths = shown.stream().mapToInt(column -> natural[column]).toArray();
      if (columns.get(shown.get(i)).shown() == Shown.IF_WIDE && total(widths) > terminalWidth) {
        shown.remove(i);
      }
    }
  }

  /** Makes the widest columns narrower until a row fits, as far as possible. */
  private void shrink(List<Integer> shown, int[] widths) {
    while (total(widths) > terminalWidth) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        Column column = columns.get(shown.get(i));
        boolean canShrink =
            column.align() == Align.LEFT
                && widths[i] > Math.max(MIN_WIDTH, column.header().length());
        if (canShrink && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
    }
  }

  private static int total(int[] widths) {
    return Arrays.stream(widths).sum() + GAP * (widths.length - 1);
  }

  private void print(Layout layout, String[] row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < layout.columns.length; i++) {
      int column = layout.columns[i];
      String cell = row[column];
      if (terminalWidth == 0) {
        line.append(i == 0 ? "" : "\t").append(cell);
      } else {
        append(line, cell.isEmpty() ? NO_VALUE : cell, layout.widths[i], columns.get(column));
      }
    }
    out.println(terminalWidth == 0 ? line.toString() : line.toString().stripTrailing());
  }

  private static void append(StringBuilder line, String cell, int width, Column column) {
    String text = column.align() == Align.LEFT ? TerminalText.cut(cell, width) : cell;
    String padding = " ".repeat(Math.max(0, width - TerminalText.width(text)));
    line.append(column.align() == Align.RIGHT_WHOLE ? padding + text : text + padding)
        .append(" ".repeat(GAP));
  }
}
