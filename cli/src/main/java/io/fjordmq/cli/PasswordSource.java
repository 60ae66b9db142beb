package io.fjordmq.cli;

import io.fjordmq.cli.output.Terminal;
import io.fjordmq.cli.output.Terminal.PasswordPrompt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A new password, from a file or from the terminal; never from the command line. */
final class PasswordSource {
  private static final String STANDARD_INPUT = "-";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description =
          "read the password from the first line of FILE, - for standard input (default: prompt)")
  @Nullable Path file;

  /**
   * Reads the password.
   *
   * @throws UsageException if there is neither a file nor a terminal
   */
  String read(Terminal terminal) {
    String password = file == null ? prompt(terminal) : readFirstLine(file, terminal);
    if (password.isEmpty()) {
      throw new UsageException("the password is empty");
    }
    return password;
  }

  /**
   * Reads the password of a new user, or generates one if there is neither a file nor a terminal.
   */
  NewPassword readOrGenerate(Terminal terminal) {
    return file == null && terminal.passwords() == null
        ? NewPassword.generate()
        : NewPassword.chosen(read(terminal));
  }

  private static String prompt(Terminal terminal) {
    PasswordPrompt prompt = terminal.passwords();
    if (prompt == null) {
      throw new UsageException("no terminal to prompt for the password; set --password-file");
    }
    String first = Objects.requireNonNullElse(prompt.read("New password: "), "");
    String second = Objects.requireNonNullElse(prompt.read("Repeat the password: "), "");
    if (!first.equals(second)) {
      throw new UsageException("the passwords do not match");
    }
    return first;
  }

  private static String readFirstLine(Path file, Terminal terminal) {
    try {
      if (file.toString().equals(STANDARD_INPUT)) {
        return Objects.requireNonNullElse(terminal.in().readLine(), "");
      }
      List<String> lines = Files.readAllLines(file);
      return lines.isEmpty() ? "" : lines.get(0);
    } catch (NoSuchFileException e) {
      throw new UsageException("--password-file: file not found: " + file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
