package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the command of {@code bin/passwd.sh}. */
class PasswordCommandTest {
  private static final String MOSQUITTO_ENTRY =
      "carol:$7$101$56sMhcGFEjQSocYJ$O03UD9SwIAxqGlcQOMLw3pSTrzA9E3Kw7gO0O2EP99HJjFDyNr1Q8hvnhejegnUGuLpyBecWp0pkfWdW6GeVdQ==";

  @TempDir private Path folder;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private Path file() {
    return folder.resolve("passwords");
  }

  private int run(String input, String... args) {
    PrintStream err = new PrintStream(output, true, StandardCharsets.UTF_8);
    return new PasswordCommand(new StringReader(input), null, err).run(args);
  }

  private boolean matches(String user, String password) throws IOException {
    PasswordHash hash = Objects.requireNonNull(PasswordFile.read(file()).users().get(user), user);
    return hash.matches(password.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldCreateAFileAndAddChangeAndRemoveUsers() throws IOException {
    String file = file().toString();
    assertThat(run("pä ss\nnot this\n", "-c", file, "alice")).isZero();
    assertThat(matches("alice", "pä ss")).isTrue();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    Files.writeString(file(), Files.readString(file()) + "# a comment\n" + MOSQUITTO_ENTRY + "\n");
    assertThat(run("", "-b", file, "bob", "hunter2")).isZero();
    assertThat(run("new", file, "alice")).isZero();
    assertThat(matches("alice", "new")).isTrue();
    assertThat(matches("bob", "hunter2")).isTrue();
    assertThat(run("", "-D", file, "alice")).isZero();
    assertThat(PasswordFile.read(file()).users()).containsOnlyKeys("carol", "bob");
    assertThat(Files.readAllLines(file())).contains("# a comment", MOSQUITTO_ENTRY);
    assertThat(Files.readString(file())).contains("bob:$argon2id$v=19$").doesNotContain("hunter2");
    try (var left = Files.list(folder)) {
      assertThat(left).containsExactly(file());
    }
  }

  @Test
  void shouldHashAPlainTextFile() throws IOException {
    Files.writeString(file(), "# plain\nalice:se:cret\n" + MOSQUITTO_ENTRY + "\n");
    assertThat(run("", "-U", file().toString())).isZero();
    assertThat(matches("alice", "se:cret")).isTrue();
    assertThat(Files.readAllLines(file())).contains("# plain", MOSQUITTO_ENTRY);
  }

  @Test
  void shouldReportErrors() throws IOException {
    String file = file().toString();
    assertThat(run("x", file, "alice")).isEqualTo(1);
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("file not found", "-c");
    assertThat(run("", "-c", file, "alice")).isEqualTo(1);
    assertThat(run("x", "-c", file, "a:b")).isEqualTo(1);
    assertThat(run("x", "-c", file)).isEqualTo(2);
    assertThat(run("x", "-b", file, "alice")).isEqualTo(2);
    assertThat(run("x", "-cD", file, "alice")).isEqualTo(2);
    assertThat(file()).doesNotExist();
    Files.writeString(file(), "");
    assertThat(run("", "-D", file, "nobody")).isEqualTo(1);
    Files.writeString(folder.resolve("passwords.new"), "");
    assertThat(run("x", file, "alice")).isEqualTo(1);
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("another edit is in progress");
  }
}
