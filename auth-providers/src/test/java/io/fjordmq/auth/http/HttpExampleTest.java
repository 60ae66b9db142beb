package io.fjordmq.auth.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.auth.examples.ExampleNode;
import io.fjordmq.auth.examples.MqttProbe;
import io.fjordmq.testing.DocumentedSection;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.LocalServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service and the configuration in docs/AUTHENTICATION.md work as they are. */
@Tag("slow")
class HttpExampleTest {
  private static final Path PYTHON = Path.of("/usr/bin/python3");

  @TempDir Path folder;

  @Test
  void shouldRunTheExample() throws Exception {
    assumeTrue(Files.isExecutable(PYTHON), PYTHON + " is not installed");
    DocumentedSection section = DocumentedSection.of("AUTHENTICATION.md", "http");
    int port = FreePorts.one();
    Path home = LocalServer.folder(folder, "service");
    Path program =
        Files.writeString(
            home.resolve("service.py"),
            replaced(section.example("python", 0), "(\"127.0.0.1\", 9000)", port));
    String yaml = replaced(section.example("yaml", 0), "http://127.0.0.1:9000/", port);
    try (LocalServer service =
            LocalServer.start(home, port, List.of(PYTHON.toString(), program.toString()));
        ExampleNode node = ExampleNode.start(folder, yaml)) {
      assertThat(service.port()).isEqualTo(port);
      node.refuses("alice", "wrong");
      node.refuses("bob", "secret");
      node.refuses(null, null);
      try (MqttProbe alice = node.login("c1", "alice", "secret")) {
        assertThat(alice.mayPublish("c1/1")).isTrue();
        assertThat(alice.maySubscribe("c1/#")).isTrue();
        assertThat(alice.mayPublish("c2/1")).isFalse();
        assertThat(alice.maySubscribe("c2/#")).isFalse();
      }
    }
  }

  private static String replaced(String example, String place, int port) {
    assertThat(example).contains(place);
    return example.replace(place, place.replace("9000", Integer.toString(port)));
  }
}
