package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands about the configuration, with a script in place of the broker on this host. */
class ConfigCommandTest {
  private static final String ENTRY =
      "{\"key\":\"a.b\",\"value\":\"5\",\"default_value\":\"1\",\"origin\":\"api\","
          + "\"reloadable\":true,\"api_value\":\"5\"}";
  private static final String SAME =
      "{\"key\":\"a.c\",\"value\":\"1\",\"default_value\":\"1\",\"origin\":\"default\","
          + "\"reloadable\":false}";
  private static final String SHADOWED =
      "{\"key\":\"a.b\",\"value\":\"7\",\"default_value\":\"1\",\"origin\":\"environment\","
          + "\"source\":\"environment variable X\",\"reloadable\":true,\"api_value\":\"5\"}";

  @TempDir Path home;

  private final FakeApi api = new FakeApi();

  @BeforeEach
  void install() throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));
    System.setProperty("fjordmq.home", home.toString());
    System.setProperty("fjordmq.lib", lib.toString());
    System.setProperty("fjordmq.configuration", "/etc/fjordmq.yml");
    System.setProperty("fjordmq.java", home.resolve("java").toString());
  }

  @AfterEach
  void uninstall() {
    List.of("fjordmq.home", "fjordmq.lib", "fjordmq.configuration", "fjordmq.java")
        .forEach(System::clearProperty);
    api.close();
  }

  /** The broker prints this, its last arguments to standard error, and exits with a code. */
  private void broker(String out, int code) throws IOException {
    Path script = home.resolve("java");
    Files.writeString(home.resolve("out"), out);
    Files.writeString(
        script,
        """
        #!/bin/bash
        cat out
        while [ "$1" != io.fjordmq.broker.Main ]; do shift; done
        shift
        echo "fjordmq: $* ${FJORDMQ_DATADIR:-}" >&2
        exit %d
        """
            .formatted(code));
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void shouldShowTheConfigurationOfARunningNode() {
    api.on(
        "GET /configs?node=n2&changed=true&limit=1000",
        "{\"data\":[" + ENTRY + "],\"meta\":{\"page\":1,\"limit\":1000,\"hasnext\":false}}");
    assertThat(Cli.of(api).line("config show --changed --node n2"))
        .isEqualTo(
            new Cli.Result(
                0,
                "KEY\tVALUE\tORIGIN\tDEFAULT\tAPI-VALUE\tRELOADABLE\tSOURCE\n"
                    + "a.b\t5\tapi\t1\t5\tyes\t\n",
                ""));
    assertThat(Cli.of(api).line("config show --offline --node n2").code()).isEqualTo(2);
  }

  @Test
  void shouldReadTheFileIfTheNodeIsNotRunning() throws IOException {
    broker("[" + ENTRY + "," + SAME + "]\n", 0);
    Cli.Result result = new Cli().directory(home.resolve("data")).line("config show --changed");
    assertThat(result.out().lines().skip(1)).containsExactly("a.b\t5\tapi\t1\t5\tyes\t");
    assertThat(result.err())
        .isEqualTo(
            "fjordmq: --show-config -c /etc/fjordmq.yml \n"
                + "fjordmq: not from a running node: /etc/fjordmq.yml and the environment of this"
                + " shell\n");
    assertThat(Cli.of(api).line("config show --offline --json").out())
        .isEqualTo("[" + ENTRY + ", " + SAME + "]\n");
    broker("", 2);
    assertThat(Cli.of(api).line("config show --offline").code()).isEqualTo(1);
  }

  @Test
  void shouldNotReadTheFileIfAnotherHostDoesNotRespond() {
    api.close();
    assertThat(Cli.of(api).line("config show").code()).isEqualTo(3);
  }

  @Test
  void shouldGetOneValueOrASection() {
    api.on("GET /configs/a.b", "[" + ENTRY + "]");
    assertThat(Cli.of(api).line("config get a.b")).isEqualTo(new Cli.Result(0, "5\n", ""));
    assertThat(Cli.of(api).line("config get a.b --json").out()).isEqualTo("[" + ENTRY + "]\n");
    api.on("GET /configs/a", "[" + ENTRY + "," + SAME + "]");
    assertThat(Cli.of(api).line("config get a").out().lines()).hasSize(3);
  }

  @Test
  void shouldSetAndUnset() {
    api.on("PUT /configs", "[" + ENTRY + "]");
    assertThat(Cli.of(api).line("config set a.b 5")).isEqualTo(new Cli.Result(0, "a.b: 5\n", ""));
    assertThat(Cli.of(api).line("config set a.b=5 c=x=y").code()).isZero();
    assertThat(api.requests())
        .extracting(FakeApi.Recorded::body)
        .containsExactly(
            "{\"values\":{\"a.b\":\"5\"}}", "{\"values\":{\"a.b\":\"5\",\"c\":\"x=y\"}}");
    assertThat(Cli.of(api).line("config set a.b").code()).isEqualTo(2);
    api.on("PUT /configs", "[" + SHADOWED + "]");
    assertThat(Cli.of(api).line("config set a.b=5"))
        .isEqualTo(
            new Cli.Result(
                0,
                "a.b: 7\n",
                "fjordmq: warning: the node that responded keeps 7 for a.b, because environment"
                    + " variable X sets it; other nodes use 5\n"));
    api.on("DELETE /configs/a.b", "[" + SAME + "]");
    assertThat(Cli.of(api).line("config unset a.b")).isEqualTo(new Cli.Result(0, "a.c: 1\n", ""));
    api.on("PUT /configs", 400, "{\"code\":\"BAD_REQUEST\",\"message\":\"a.b must be 1\"}");
    assertThat(Cli.of(api).line("config set a.b=0"))
        .isEqualTo(new Cli.Result(1, "", "fjordmq: a.b must be 1\n"));
  }

  @Test
  void shouldCheckAFile() throws IOException {
    broker("", 0);
    assertThat(new Cli().line("check"))
        .isEqualTo(new Cli.Result(0, "", "fjordmq: --check -c /etc/fjordmq.yml \n"));
    broker("", 2);
    Cli.Result result = new Cli().run("check", "-d", home.toString());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo("fjordmq: --check -c /etc/fjordmq.yml " + home.resolve("data") + "\n");
  }

  @Test
  void shouldConvertAFile() throws IOException {
    broker("bootstrap: true\n", 0);
    assertThat(new Cli().line("import mosquitto /etc/m.conf"))
        .isEqualTo(
            new Cli.Result(0, "bootstrap: true\n", "fjordmq: --import-mosquitto /etc/m.conf \n"));
  }

  @Test
  void shouldSayThatTheBrokerIsNotBuilt() throws IOException {
    Files.delete(home.resolve("lib"));
    Cli.Result result = new Cli().line("check");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("build FjordMQ with 'bin/standalone.sh build'");
    uninstall();
    assertThat(new Cli().line("check").err()).contains("use bin/fjordmq");
  }

  @Test
  void shouldWaitUntilANodeHasLeft() {
    api.on("GET /cluster", "{\"self\":\"n1\"}");
    api.on("POST /nodes/n1/decommission", "{\"message\":\"moving 5\"}");
    api.on("GET /nodes", "[{\"node\":\"n1\",\"connections\":7},{\"node\":\"n2\"}]");
    String range = "{\"voters\":[{\"node\":\"n1\"},{\"node\":\"n2\"}]}";
    api.on("GET /ranges?limit=10000", "{\"data\":[" + range + "," + range + "]}");
    Deque<Runnable> steps = new ArrayDeque<>();
    steps.add(() -> {});
    steps.add(() -> api.on("GET /ranges?limit=10000", "{\"data\":[" + range + "]}"));
    steps.add(() -> api.on("GET /nodes", "[{\"node\":\"n2\"}]"));
    CommandEnvironment.Pause pause =
        seconds -> {
          steps.remove().run();
          return true;
        };
    assertThat(Cli.of(api).pause(pause).line("cluster leave --yes"))
        .isEqualTo(
            new Cli.Result(
                0,
                """
                moving 5
                ranges to hand over: 2, clients: 7
                ranges to hand over: 1, clients: 7
                node 'n1' has stopped and is no longer a member
                """,
                ""));
    assertThat(api.lines()).filteredOn(line -> line.startsWith("POST")).hasSize(1);
  }

  @Test
  void shouldWaitForANodeThatIsCalledByItsName() {
    api.on("POST /nodes/alpha/decommission", "{\"message\":\"moving 5\"}");
    api.on("GET /nodes", "[{\"node\":\"n1\",\"name\":\"alpha\"}]");
    Deque<Runnable> steps = new ArrayDeque<>();
    steps.add(() -> {});
    steps.add(() -> api.on("GET /nodes", "[{\"node\":\"n2\",\"name\":\"beta\"}]"));
    CommandEnvironment.Pause pause =
        seconds -> {
          steps.remove().run();
          return true;
        };
    assertThat(Cli.of(api).pause(pause).line("cluster decommission alpha --yes").out())
        .isEqualTo("moving 5\nnode 'alpha' has stopped and is no longer a member\n");
    assertThat(steps).isEmpty();
  }

  @Test
  void shouldKeepWaitingForAnotherNodeIfTheApiFails() {
    api.on("POST /nodes/n1/decommission", "{\"message\":\"moving 5\"}");
    api.on("GET /cluster", "{\"self\":\"n2\"}");
    api.on("GET /nodes", "[{\"node\":\"n1\"}]");
    Deque<Runnable> steps = new ArrayDeque<>();
    steps.add(() -> api.on("GET /nodes", 503, "{\"message\":\"busy\"}"));
    steps.add(() -> {});
    steps.add(() -> api.on("GET /nodes", "[{\"node\":\"n2\"}]"));
    CommandEnvironment.Pause pause =
        seconds -> {
          steps.remove().run();
          return true;
        };
    assertThat(Cli.of(api).pause(pause).line("cluster decommission n1 --yes").out())
        .isEqualTo("moving 5\nnode 'n1' has stopped and is no longer a member\n");
    assertThat(steps).isEmpty();
    api.on("GET /nodes", "[{\"node\":\"n1\"}]");
    pause =
        seconds -> {
          api.on("GET /nodes", 503, "{\"message\":\"busy\"}");
          return true;
        };
    assertThat(Cli.of(api).pause(pause).line("cluster decommission n1 --yes"))
        .isEqualTo(new Cli.Result(1, "moving 5\n", "fjordmq: busy\n"));
  }

  @Test
  void shouldDecommissionOnlyMembersOnRequest() {
    api.on("GET /nodes", "[{\"node\":\"n1\",\"name\":\"alpha\"}]");
    assertThat(Cli.of(api).line("cluster decommission beta --if-member --yes"))
        .isEqualTo(new Cli.Result(0, "node 'beta' is not a member of the cluster\n", ""));
    api.on("POST /nodes/alpha/decommission", "{\"message\":\"moving 5\"}");
    assertThat(Cli.of(api).line("cluster decommission alpha --if-member --no-wait --yes").out())
        .isEqualTo("moving 5\n");
  }
}
