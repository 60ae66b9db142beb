package io.fjordmq.auth.sql;

import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.PlaceholderValues;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The query of the configuration. Placeholders become parameters of a prepared statement, so the
 * values never become part of the SQL text.
 *
 * @param sql the text, with {@code ?} for each parameter
 * @param parameters the placeholders in the order of their occurrence
 */
record SqlQuery(String sql, List<Placeholder> parameters) {
  /** As in the queries of EMQX 4: client identifier, user name, address. */
  private static final String LETTERS = "cua";

  private static final String QUOTES = "'\"`";

  SqlQuery {
    parameters = List.copyOf(parameters);
  }

  /**
   * Reads the key {@code query}.
   *
   * @param forLogin whether the password is known
   * @throws IllegalArgumentException if the query is not valid; the message begins with its key
   */
  static SqlQuery of(ProviderSettings settings, String defaultQuery, boolean forLogin) {
    String text = settings.text("query", defaultQuery);
    if (text.indexOf('?') >= 0) {
      throw settings.invalid(
          "query", "without '?'; parameters are placeholders such as ${username}", text);
    }
    Template template = settings.template("query", withoutQuotes(text), LETTERS);
    List<Placeholder> parameters = new ArrayList<>();
    String sql =
        template.render(
            placeholder -> {
              check(settings, placeholder, forLogin);
              parameters.add(placeholder);
              return "";
            },
            (value, before) -> {
              if (isInsideQuotes(before)) {
                throw settings.invalid("query", "without placeholders inside quotes", text);
              }
              return "?";
            });
    if (sql == null || parameters.isEmpty()) {
      throw settings.invalid(
          "query", "a query with a placeholder of the client, such as ${username}", text);
    }
    return new SqlQuery(sql, parameters);
  }

  /** Removes quotes that contain nothing but a placeholder, as in the queries of EMQX 4. */
  private static String withoutQuotes(String text) {
    return text.replaceAll("(['\"])(\\$\\{[^}'\"]*\\}|%[" + LETTERS + "])\\1", "$2");
  }

  /** Whether a quote before the end of the text has not been closed. */
  private static boolean isInsideQuotes(String before) {
    char open = 0;
    for (int i = 0; i < before.length(); i++) {
      char c = before.charAt(i);
      if (open == 0 && QUOTES.indexOf(c) >= 0) {
        open = c;
      } else if (open == c) {
        open = 0; // a doubled quote closes and opens again
      }
    }
    return open != 0;
  }

  private static void check(ProviderSettings settings, Placeholder one, boolean forLogin) {
    if (one.kind().ofAction()) {
      throw new IllegalArgumentException(
          settings.path()
              + ".query: "
              + one
              + " cannot be used, because the rules of a client are read when it connects");
    }
    if (one.kind() == Placeholder.Kind.PASSWORD && !forLogin) {
      throw new IllegalArgumentException(
          settings.path() + ".query: the password is only available during authentication");
    }
  }

  /**
   * Returns the values of the parameters. Missing and empty values are null: they become NULL,
   * which is equal to nothing, because tables use empty text for columns that do not matter in a
   * row.
   */
  List<@Nullable String> valuesOf(PlaceholderValues client) {
    List<@Nullable String> values = new ArrayList<>();
    for (Placeholder parameter : parameters) {
      String value = client.apply(parameter);
      values.add(value == null || value.isEmpty() ? null : value);
    }
    return values;
  }

  /** Whether a value contains a character that no text in the database can contain. */
  static boolean isUnstorable(List<@Nullable String> values) {
    for (String value : values) {
      if (value != null && value.indexOf('\0') >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Appends the values so that equal text means equal values. */
  static void appendTo(StringBuilder key, List<@Nullable String> values) {
    for (String value : values) {
      key.append(value == null ? "-" : value.length() + ":" + value).append('\n');
    }
  }
}
