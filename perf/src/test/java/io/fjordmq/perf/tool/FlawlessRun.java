package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.report.ParsedReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a command of the tool that must find no faults, and reads its report. */
final class FlawlessRun {
  /** The lines of the tool that explain an exit code. */
  private static final Pattern EXPLANATION =
      Pattern.compile("FAULT of .*|perf: .*|.* failed: .*|broker logs: .*|\\S*Exception.*");

  private FlawlessRun() {}

  /**
   * Runs the command. If the exit code is not 0, the failure names the faults and errors in one
   * line, because the summary of a test run shows no more.
   *
   * @param out an empty directory for the report
   */
  static ParsedReport report(Path out, List<String> words) throws IOException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream terminal = System.out;
    PrintStream errors = System.err;
    int code;
    System.setOut(tee(terminal, printed));
    System.setErr(tee(errors, printed));
    try {
      code = new PerfTool(PerfToolTest.root(), out).run(words);
    } finally {
      System.setOut(terminal);
      System.setErr(errors);
    }
    assertThat(code)
        .as(() -> explanation(printed.toString(StandardCharsets.UTF_8)))
        .isEqualTo(PerfTool.NO_FAULTS);
    try (Stream<Path> files = Files.list(out)) {
      Path json = files.filter(file -> file.toString().endsWith(".json")).findFirst().orElseThrow();
      return new ParsedReport(Files.readString(json));
    }
  }

  private static String explanation(String output) {
    return "exit code; "
        + output
            .lines()
            .filter(line -> EXPLANATION.matcher(line).matches())
            .distinct()
            .collect(Collectors.joining("; "));
  }

  private static PrintStream tee(PrintStream terminal, OutputStream copy) {
    OutputStream both =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            terminal.write(bytes, offset, length);
            synchronized (copy) {
              copy.write(bytes, offset, length);
            }
          }
        };
    return new PrintStream(both, true, StandardCharsets.UTF_8);
  }
}
