package io.fjordmq.cli.output;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Where commands print and ask. Not thread-safe.
 *
 * @param out standard output
 * @param err standard error
 * @param width the number of columns if standard output is a terminal; otherwise 0
 * @param in standard input
 * @param isInteractive whether standard input is a terminal
 * @param passwords reads a password without echo; null if there is no terminal
 */
public record Terminal(
    PrintWriter out,
    PrintWriter err,
    int width,
    BufferedReader in,
    boolean isInteractive,
    @Nullable PasswordPrompt passwords) {

  /** Reads a password from the terminal without echo. */
  @FunctionalInterface
  public interface PasswordPrompt {
    /** Returns the password; null at the end of the input. */
    @Nullable String read(String prompt);

    /** A prompt on the terminal of this process. */
    static PasswordPrompt of(Console console) {
      return prompt -> {
        char[] password = console.readPassword("%s", prompt);
        return password == null ? null : new String(password);
      };
    }
  }

  /** Whether standard output is a terminal. */
  public boolean isOutput() {
    return width > 0;
  }

  /** Prints a line of a result. */
  public void line(String text) {
    out.println(TerminalText.printable(text));
  }

  /** Prints a message that is not part of the result. */
  public void message(String text) {
    out.flush();
    err.println("fjordmq: " + TerminalText.printable(text));
    err.flush();
  }

  /** Asks a question on the terminal; returns whether the user has confirmed. */
  public boolean confirm(String question) throws IOException {
    out.flush();
    err.print(TerminalText.printable(question) + " [y/N] ");
    err.flush();
    String answer = in.readLine();
    return answer != null
        && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
  }
}
