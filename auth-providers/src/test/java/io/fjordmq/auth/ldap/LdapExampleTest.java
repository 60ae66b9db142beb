package io.fjordmq.auth.ldap;

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

/** The entries and the configuration in docs/AUTHENTICATION.md work as they are. */
@Tag("slow")
class LdapExampleTest {
  private static final String ADDRESS = "127.0.0.1:389";

  @TempDir Path folder;

  @Test
  void shouldRunTheExample() throws Exception {
    DocumentedSection section = DocumentedSection.of("AUTHENTICATION.md", "ldap");
    try (TestDirectory server =
        TestDirectory.start(folder, TestCertificates.in(folder), "dc=example,dc=com")) {
      server.add(section.example("ldif", 0));
      Files.writeString(ExampleNode.conf(folder).resolve("directory-password"), "change-me\n");
      String yaml = section.example("yaml", 0);
      assertThat(yaml).contains("servers: " + ADDRESS);
      try (ExampleNode node =
          ExampleNode.start(folder, yaml.replace(ADDRESS, server.process().address()))) {
        check(node);
      }
    }
  }

  private static void check(ExampleNode node) throws Exception {
    node.refuses("alice", "wrong");
    node.refuses("alice", "");
    node.refuses("bob", "secret");
    node.refuses(null, null);
    try (MqttProbe alice = node.login("c1", "alice", "secret")) {
      assertThat(alice.maySubscribe("site/1/#")).isTrue();
      assertThat(alice.maySubscribe("other")).isFalse();
      assertThat(alice.mayPublish("site/c1/1")).isTrue();
      assertThat(alice.mayPublish("site/c2/1")).isFalse();
      // She is a member of the group operators.
      assertThat(alice.mayPublish("commands/restart")).isTrue();
      assertThat(alice.mayPublish("commands/shutdown")).isFalse();
    }
  }
}
