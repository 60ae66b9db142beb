package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cli.output.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The help, the suggestions, the completion and the documentation know all commands. */
class HelpTest {
  private static final Pattern LISTED = Pattern.compile("(?m)^  ([a-z-]+) {2,}[a-z]");
  private static final Pattern NAMED =
      Pattern.compile("bin/fjordmq ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?");

  @TempDir Path folder;

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve(".mvn")) ? here : here.resolve("..").normalize();
  }

  private static CommandLine commands() {
    PrintWriter none = new PrintWriter(new StringWriter());
    Terminal terminal =
        new Terminal(none, none, 0, new BufferedReader(new StringReader("")), false, null);
    return Main.commandLine(
        new CommandEnvironment(Map.of(), null, terminal, InstantSource.system(), seconds -> false),
        List.of());
  }

  /** All commands that do something, such as {@code clients list}. */
  private static List<String> leaves() {
    List<String> leaves = new ArrayList<>();
    commands()
        .getSubcommands()
        .forEach(
            (noun, line) -> {
              if (line.getSubcommands().isEmpty()) {
                leaves.add(noun);
              }
              line.getSubcommands().keySet().forEach(verb -> leaves.add(noun + " " + verb));
            });
    return leaves;
  }

  @Test
  void shouldListEveryNounInTheHelpOfTheScript() throws IOException {
    String script = Files.readString(root().resolve("bin/fjordmq"));
    String section =
        script.substring(script.indexOf("\nCommands:"), script.indexOf("COMMAND --help'"));
    List<String> listed = new ArrayList<>();
    Matcher matcher = LISTED.matcher(section);
    while (matcher.find()) {
      listed.add(matcher.group(1));
    }
    assertThat(listed).containsExactlyElementsOf(commands().getSubcommands().keySet());
  }

  @Test
  void shouldDocumentEveryCommand() throws IOException {
    String document = Files.readString(root().resolve("docs/CLI.md"));
    for (String command : leaves()) {
      assertThat(document).contains("`" + command);
    }
  }

  @Test
  void shouldNameOnlyExistingCommandsInGuides() throws IOException {
    List<String> commands = leaves();
    for (String guide : List.of("RUNBOOKS.md", "OPERATIONS.md", "MONITORING.md")) {
      Matcher named = NAMED.matcher(Files.readString(root().resolve("docs").resolve(guide)));
      while (named.find()) {
        String noun = named.group(1);
        String command = named.group(2) == null ? noun : noun + " " + named.group(2);
        assertThat(commands).as(guide).containsAnyOf(noun, command);
      }
    }
  }

  @Test
  void shouldExplainEveryCommand() {
    List<String> commands = leaves();
    assertThat(commands).contains("status", "clients list", "api-keys add").hasSizeGreaterThan(35);
    for (String command : commands) {
      Cli.Result help = new Cli().line(command + " --help");
      assertThat(help.code()).isZero();
      assertThat(help.err()).isEmpty();
      assertThat(help.out())
          .startsWith("Usage: fjordmq " + command + " [OPTIONS]")
          .contains("print this help")
          .doesNotContain("--api-key="); // the script explains it
      assertThat(help.out().lines().toList().get(2)).as(command).isNotBlank();
    }
  }

  @Test
  void shouldSuggestTheNearestCommandOrOption() {
    assertThat(new Cli().line("client list").err())
        .isEqualTo(
            "fjordmq: unknown command 'client'; did you mean 'clients'?; see 'fjordmq --help'\n");
    assertThat(new Cli().line("clients lst").err()).contains("did you mean 'list'?");
    assertThat(new Cli().line("clients list --jsno").err())
        .contains("unknown option '--jsno'; did you mean '--json'?");
    assertThat(new Cli().line("clients").err())
        .isEqualTo(
            "fjordmq: command missing; the commands are inflight, kick, kick-user, list, queued, show; see 'fjordmq clients"
                + " --help'\n");
    assertThat(new Cli().line("clients list x").err()).contains("unexpected argument 'x'");
    assertThat(new Cli().line("clients show").err()).contains("missing required parameter");
    assertThat(new Cli().line("ban add host h").err())
        .contains("must be clientid, username, peerhost or cidr, not 'host'");
    assertThat(new Cli().line("clients show").code()).isEqualTo(2);
  }

  @Test
  void shouldCompleteCommandsAndOptions() throws IOException, InterruptedException {
    Path script = folder.resolve("completion");
    Files.writeString(script, new Cli().line("completion").out());
    assertThat(complete(script, "ban add ''")).contains("clientid", "cidr");
    assertThat(complete(script, "cl")).contains("clients", "cluster").doesNotContain("status");
    assertThat(complete(script, "clients ''")).contains("list", "show", "kick");
    assertThat(complete(script, "clients list --")).contains("--json", "--watch", "--url");
    assertThat(complete(script, "users add x --role ''")).contains("viewer", "administrator");
  }

  private String complete(Path script, String words) throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    String code =
        "source %s; COMP_WORDS=(fjordmq %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                .formatted(script, words)
            + " COMP_LINE=\"${COMP_WORDS[*]}\"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9;"
            + " _complete_fjordmq; echo \"${COMPREPLY[@]}\"";
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", code)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    bash.waitFor();
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
