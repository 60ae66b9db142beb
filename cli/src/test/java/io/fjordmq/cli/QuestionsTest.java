package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cli.output.Terminal.PasswordPrompt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Confirmations and passwords. */
class QuestionsTest {
  @TempDir Path folder;

  private final FakeApi api =
      new FakeApi()
          .on("DELETE /users/bob", 204, "")
          .on("POST /users", "{\"username\":\"bob\"}")
          .on("POST /users/bob/change_pwd", 204, "");

  @AfterEach
  void stop() {
    api.close();
  }

  private static PasswordPrompt typing(String... passwords) {
    Deque<String> typed = new ArrayDeque<>(List.of(passwords));
    return prompt -> typed.poll();
  }

  @Test
  void shouldAskBeforeItDestroys() {
    Cli.Result canceled = Cli.of(api).typing("n\n").line("users del bob");
    assertThat(canceled)
        .isEqualTo(new Cli.Result(1, "", "Delete user 'bob'? [y/N] fjordmq: canceled\n"));
    assertThat(Cli.of(api).typing("").line("users del bob").code()).isEqualTo(1);
    assertThat(api.requests()).isEmpty();
    assertThat(Cli.of(api).typing(" Y \n").line("users del bob").code()).isZero();
    assertThat(api.lines()).containsExactly("DELETE /users/bob");
  }

  @Test
  void shouldNotDestroyWithoutATerminal() {
    List<String> destructive =
        List.of(
            "users del bob",
            "api-keys del k",
            "retained delete a/b",
            "cluster remove n1",
            "ranges rebuild r-1",
            "cluster decommission n1");
    for (String words : destructive) {
      Cli.Result result = Cli.of(api).piping("y\n").line(words);
      assertThat(result.code()).as(words).isEqualTo(2);
      assertThat(result.err()).as(words).contains("add --yes");
    }
    assertThat(api.requests()).isEmpty();
  }

  @Test
  void shouldAskForAPasswordTwice() {
    Cli.Result result =
        Cli.of(api)
            .passwords(typing("secret-1", "secret-1"))
            .line("users add bob --role viewer --description d --tenant t");
    assertThat(result).isEqualTo(new Cli.Result(0, "user 'bob' added\n", ""));
    assertThat(api.requests().get(0).body())
        .isEqualTo(
            "{\"username\":\"bob\",\"role\":\"viewer\",\"password\":\"secret-1\","
                + "\"tenant\":\"t\",\"description\":\"d\"}");
    assertThat(Cli.of(api).passwords(typing("secret-1", "secret-2")).line("users set-password bob"))
        .isEqualTo(
            new Cli.Result(
                2,
                "",
                "fjordmq: the passwords do not match; see 'fjordmq users set-password --help'\n"));
    assertThat(Cli.of(api).passwords(typing()).line("users set-password bob").err())
        .contains("the password is empty");
    assertThat(api.requests()).hasSize(1);
  }

  @Test
  void shouldGenerateAndShowThePasswordOfANewUserWithoutATerminal() {
    String shown = Cli.of(api).line("users add bob --role viewer").out();
    assertThat(shown).matches("user 'bob' added; password: [\\w-]{20}\n");
    String json = Cli.of(api).line("users add bob --role viewer --json").out();
    assertThat(json).matches("\\{\"username\":\"bob\",\"password\":\"[\\w-]{20}\"}\n");
    String password = json.replaceAll(".*password\":\"|\"}\n", "");
    assertThat(api.requests().get(1).body()).contains("\"password\":\"" + password + "\"");
    assertThat(shown).as("random").doesNotContain(password);
  }

  @Test
  void shouldReadAPasswordFromAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "secret-1\nignored\n");
    String words = "users set-password bob --password-file ";
    assertThat(Cli.of(api).line(words + file).out()).isEqualTo("password of user 'bob' set\n");
    assertThat(Cli.of(api).piping("secret-2\n").line(words + "-").code()).isZero();
    assertThat(api.requests())
        .extracting(FakeApi.Recorded::body)
        .containsExactly("{\"new_pwd\":\"secret-1\"}", "{\"new_pwd\":\"secret-2\"}");
    assertThat(Cli.of(api).line(words + folder.resolve("none")).err()).contains("file not found");
    assertThat(Cli.of(api).line("users set-password bob").err()).contains("set --password-file");
  }

  @Test
  void shouldPublishAnyBytesFromAFile() throws IOException {
    Path file = Files.write(folder.resolve("payload"), new byte[] {0, -1});
    api.on("POST /publish", "{\"id\":\"1\"}");
    assertThat(Cli.of(api).line("publish a --file " + file).code()).isZero();
    assertThat(api.requests().get(0).body())
        .isEqualTo(
            "{\"topic\":\"a\",\"qos\":0,\"retain\":false,\"payload\":\"AP8=\","
                + "\"payload_encoding\":\"base64\"}");
  }
}
