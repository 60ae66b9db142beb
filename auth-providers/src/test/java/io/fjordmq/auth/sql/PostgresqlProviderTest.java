package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.Chain;
import io.fjordmq.auth.TestCertificates;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Users and rules in a real PostgreSQL server. */
class PostgresqlProviderTest extends SqlProviderContract {
  @Override
  SqlServer startServer(Path folder, TestCertificates certificates) throws Exception {
    return PostgresTestServer.start(folder, certificates);
  }

  @Test
  void shouldLetTheServerChooseTheTypesOfParameters() throws Exception {
    server().execute("INSERT INTO mqtt_user(username, password_hash, salt) VALUES ('7', 'p', '')");
    try (Chain chain =
        chain(
            "passwordHash",
            "plain",
            "query",
            "SELECT password_hash FROM mqtt_user WHERE username::int = ${username}"
                + " AND '127.0.0.0/8'::inet >> ${peerhost}")) {
      assertThat(result(chain, "127.0.0.1", "7", "p")).isEqualTo("allow");
      assertThat(result(chain, "10.0.0.1", "7", "p")).contains("unknown user");
    }
  }

  @Test
  void shouldReadCharColumnsWithoutTheirPadding() throws Exception {
    server()
        .execute(
            "ALTER TABLE mqtt_user ALTER password_hash TYPE char(80), ALTER salt TYPE char(20)",
            user("u", "p", "salt", false));
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
    }
  }

  @Test
  void shouldNotLetUnusableValuesOpenTheBreaker() throws Exception {
    server().execute(user("u", "p", "", false));
    try (Chain chain =
        chain(
            "query",
            "SELECT password_hash FROM mqtt_user WHERE username = ${username}"
                + " AND id >= coalesce(nullif(${password}, 'p')::int, 0)")) {
      for (int i = 0; i < 12; i++) {
        assertThat(chain.result("c", "u", "hunter2-is-no-number"))
            .startsWith("SERVER_UNAVAILABLE")
            .contains("SQLSTATE 22P02")
            .doesNotContain("hunter2");
      }
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
    }
  }
}
