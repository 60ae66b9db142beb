package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.TestCertificates;
import io.fjordmq.auth.examples.ExampleNode;
import io.fjordmq.auth.examples.MqttProbe;
import io.fjordmq.testing.DocumentedSection;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables and the configuration in docs/AUTHENTICATION.md work as they are. */
@Tag("slow")
class SqlExamplesTest {
  private static final String SECTION = "postgresql and mysql";

  @TempDir Path folder;

  @Test
  void shouldRunTheExampleForPostgresql() throws Exception {
    try (SqlServer server = PostgresTestServer.start(folder, TestCertificates.in(folder))) {
      DocumentedSection section = DocumentedSection.of("AUTHENTICATION.md", SECTION);
      check(server, section.example("sql", 0), section.example("yaml", 0), "127.0.0.1:5432");
    }
  }

  @Test
  void shouldRunTheExampleForMariadb() throws Exception {
    try (SqlServer server = MariadbTestServer.start(folder, TestCertificates.in(folder))) {
      DocumentedSection section = DocumentedSection.of("AUTHENTICATION.md", SECTION);
      String yaml =
          section
              .example("yaml", 0)
              .replace("type: postgresql", "type: mysql")
              .replace("127.0.0.1:5432", "127.0.0.1:3306");
      check(server, section.example("sql", 1), yaml, "127.0.0.1:3306");
    }
  }

  private void check(SqlServer server, String sql, String yaml, String address) throws Exception {
    for (String statement : sql.split(";\n")) {
      server.execute(statement);
    }
    assertThat(yaml).contains("servers: " + address);
    Files.writeString(ExampleNode.conf(folder).resolve("database-password"), "change-me\n");
    try (ExampleNode node =
        ExampleNode.start(folder, yaml.replace(address, server.process().address()))) {
      node.refuses("alice", "wrong");
      node.refuses("bob", "secret");
      node.refuses(null, null);
      try (MqttProbe alice = node.login("c1", "alice", "secret")) {
        assertThat(alice.mayPublish("site/1")).isTrue();
        assertThat(alice.maySubscribe("site/1/#")).isTrue();
        assertThat(alice.mayPublish("site/1/private")).isFalse();
        assertThat(alice.maySubscribe("site/1/private")).isFalse();
        assertThat(alice.mayPublish("other")).isFalse();
      }
    }
  }
}
