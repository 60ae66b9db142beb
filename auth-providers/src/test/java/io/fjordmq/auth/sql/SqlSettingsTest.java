package io.fjordmq.auth.sql;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.Chain;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Settings and queries, without a server. */
class SqlSettingsTest {
  private static Map<String, String> changed(String key, String value) {
    Map<String, String> settings =
        provider("type", "mysql", "servers", "a", "database", "mqtt", "username", "broker");
    settings.put(key, value);
    return settings;
  }

  private static Map<String, String> query(String query) {
    return changed("query", query);
  }

  private static SqlQuery parsed(String query) {
    return SqlQuery.of(new ProviderSettings("x", query(query)), "", true);
  }

  @Test
  void shouldTurnPlaceholdersIntoParameters() {
    SqlQuery query =
        parsed("SELECT p FROM t WHERE a = ${username} AND b = '%c' OR c = \"${username}\"");
    assertThat(query.sql()).isEqualTo("SELECT p FROM t WHERE a = ? AND b = ? OR c = ?");
    assertThat(query.parameters())
        .extracting(Object::toString)
        .containsExactly("${username}", "${clientid}", "${username}");
    assertThat(parsed("SELECT 'it''s', `a`, \"b\" FROM t WHERE u LIKE 'x%' AND v = %u").sql())
        .endsWith("LIKE 'x%' AND v = ?");
  }

  @Test
  void shouldReportInvalidSettings() {
    assertThat(
            Chain.problems(
                List.of(
                    provider("type", "postgresql", "servers", "a"),
                    provider("type", "mysql", "servers", "a", "database", "mqtt"),
                    changed("servers", "a:b"),
                    changed("servers", "a?b"),
                    changed("database", "mqtt?allowLocalInfile=true"),
                    changed("poolSize", "0"),
                    changed("trustFile", "ca.pem"),
                    changed("passwordFile", "/does/not/exist"),
                    changed("passwordHash", "rot13"),
                    query("SELECT 1 FROM t WHERE u = ?"),
                    query("SELECT 1 FROM t"),
                    query("SELECT 1 FROM t WHERE u = 'x${username}'"),
                    query("SELECT 1 FROM t WHERE u = ${what}"),
                    query("SELECT 1 FROM t WHERE u = ${topic}")),
                List.of(
                    query("SELECT 1 FROM t WHERE u = ${password}"),
                    changed("passwordHash", "plain"))))
        .satisfiesExactly(
            one -> assertThat(one).contains("authentication.0.database is required"),
            one -> assertThat(one).contains("1.username is required"),
            one -> assertThat(one).contains("2.servers must be HOST:PORT"),
            one -> assertThat(one).contains("3.servers must be HOST:PORT"),
            one -> assertThat(one).contains("4.database must be a name"),
            one -> assertThat(one).contains("5.poolSize must be between 1"),
            one -> assertThat(one).contains("6.trustFile needs").contains(".tls: true"),
            one -> assertThat(one).contains("7.passwordFile: file not found"),
            one -> assertThat(one).contains("8.passwordHash must be one of plain"),
            one -> assertThat(one).contains("9.query must be without '?'"),
            one -> assertThat(one).contains("10.query must be a query with a placeholder"),
            one -> assertThat(one).contains("11.query must be without placeholders inside quotes"),
            one -> assertThat(one).contains("12.query: unknown placeholder"),
            one -> assertThat(one).contains("13.query: ${topic} cannot be used"),
            one -> assertThat(one).contains("authorization.0.query: the password"),
            one -> assertThat(one).contains("1.passwordHash does not apply to authorization"));
  }

  @Test
  void shouldNotLetValuesOfParametersRunTogether() {
    StringBuilder first = new StringBuilder();
    StringBuilder second = new StringBuilder();
    SqlQuery.appendTo(first, List.of("a\n1:b", "c"));
    SqlQuery.appendTo(second, List.of("a", "b\n1:c"));
    assertThat(first.toString()).isNotEqualTo(second.toString());
  }
}
