package io.fjordmq.auth.sql;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of a result as text. Columns that are NULL or binary are left out.
 *
 * @param values the values by the name of the column in lower case
 */
record SqlRow(Map<String, String> values) {
  private static final Set<String> TRUE = Set.of("1", "t", "true", "y", "yes", "on");
  private static final Set<String> FALSE = Set.of("0", "f", "false", "n", "no", "off", "");

  /** Reads the current row. */
  static SqlRow of(ResultSet rows) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String value = text(rows, i, columns.getColumnType(i));
      if (value != null) {
        values.putIfAbsent(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), value);
      }
    }
    return new SqlRow(values);
  }

  private static @Nullable String text(ResultSet rows, int column, int type) throws SQLException {
    switch (type) {
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> {
        return null;
      }
      case Types.BIT, Types.BOOLEAN -> {
        boolean value = rows.getBoolean(column);
        return rows.wasNull() ? null : Boolean.toString(value);
      }
      case Types.CHAR -> {
        String padded = rows.getString(column);
        return padded == null ? null : padded.stripTrailing();
      }
      default -> {
        return rows.getString(column);
      }
    }
  }

  /** Returns the value of a column; null if there is none. */
  @Nullable String get(String column) {
    return values.get(column);
  }

  /** Returns the value of the first of two columns that has one; null if neither has. */
  @Nullable String get(String column, String otherColumn) {
    String value = values.get(column);
    return value == null ? values.get(otherColumn) : value;
  }

  /**
   * Returns a truth value; false if there is none.
   *
   * @throws IllegalArgumentException if the column contains something else
   */
  boolean isTrue(String column) {
    String value = values.getOrDefault(column, "").strip().toLowerCase(Locale.ROOT);
    if (!TRUE.contains(value) && !FALSE.contains(value)) {
      throw new IllegalArgumentException(
          "the column " + column + " must be true or false, 1 or 0, not '" + value + "'");
    }
    return TRUE.contains(value);
  }
}
