package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.machine.RunDirectory;
import io.fjordmq.perf.report.ParsedReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What remains of a failed benchmark: completed runs, and logs of a failed start. */
class FailedRunTest {
  private static final Pattern LOGS = Pattern.compile("broker logs: (\\S+)");

  @TempDir Path directory;

  private final PrintStream err = System.err;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @BeforeEach
  void captureErrors() {
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restoreErrors() {
    System.setErr(err);
  }

  private String errors() {
    return errors.toString(StandardCharsets.UTF_8);
  }

  private static int run(Path checkout, Path out, String... more) {
    List<String> words =
        new ArrayList<>(List.of("run", "true_3_3_qos1_p64_20mps_1n", "--out", out.toString()));
    words.addAll(List.of("--warm", "0", "--seconds", "1"));
    words.addAll(List.of(more));
    return new PerfTool(checkout, checkout).run(words);
  }

  /** A checkout whose broker prints an error and does not start. */
  private Path checkoutWithFailingBroker() throws IOException {
    Path checkout = Files.createDirectory(directory.resolve("checkout"));
    Files.createDirectories(checkout.resolve("perf/scenarios"));
    Path script = Files.createDirectory(checkout.resolve("bin")).resolve("standalone.sh");
    Files.writeString(script, "#!/bin/sh\necho planted failure\nexit 1\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return checkout;
  }

  @Test
  void shouldKeepTheLogsOfAStartThatFailed() throws IOException {
    int code = run(checkoutWithFailingBroker(), directory.resolve("reports"));
    assertThat(code).isEqualTo(PerfTool.INCOMPLETE);
    assertThat(errors()).contains("FjordMQ did not start: planted failure");
    Matcher logs = LOGS.matcher(errors());
    assertThat(logs.find()).isTrue();
    RunDirectory work = new RunDirectory(Path.of(logs.group(1)));
    try {
      assertThat(work.path().resolve("fjordmq-0/node1/start.log")).content().contains("planted");
    } finally {
      work.delete();
    }
  }

  @Test
  void shouldCheckTheReportDirectoryBeforeTheFirstStart() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    assertThat(run(checkoutWithFailingBroker(), file)).isEqualTo(PerfTool.INCOMPLETE);
    assertThat(errors())
        .contains("cannot write a report to " + file + ": the path exists and is not a directory")
        .doesNotContain("planted");
  }

  @Test
  void shouldReportTheRunsBeforeTheFailedOne() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    // Stands in for the broker's process, as --pids claims; it is killed during the first run.
    try (FaultyBroker broker =
        new FaultyBroker(
            client -> {
              kill(process);
              return ClientHandling.SERVE;
            })) {
      Path out = directory.resolve("reports");
      String host = "127.0.0.1:" + broker.address().getPort();
      String pid = Long.toString(process.pid());
      int code = run(PerfToolTest.root(), out, "--hosts", host, "--pids", pid, "--runs", "3");
      assertThat(code).isEqualTo(PerfTool.INCOMPLETE);
      String failed = "incomplete: run 2 of 3 of given failed: --pids " + pid;
      assertThat(errors()).contains(failed).doesNotContain("broker logs");
      ParsedReport report = report(out);
      assertThat(report.list("runs")).hasSize(1);
      assertThat(report.list("notes").toString()).contains(failed);
      assertThat(report.at("facts", "program of " + host).toString()).contains("/");
      assertThat(report.at("facts", "commit of the tool").toString()).isNotEmpty();
    } finally {
      kill(process);
    }
  }

  private static void kill(Process process) {
    process.destroyForcibly().onExit().join();
  }

  private static ParsedReport report(Path out) throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      Path json = files.filter(file -> file.toString().endsWith(".json")).findFirst().orElseThrow();
      return new ParsedReport(Files.readString(json));
    }
  }

  @Test
  void shouldQuoteItsCommandForTheShell() {
    assertThat(RunCommand.command(List.of("run", "true_1", "--out", "my reports", "it's", "")))
        .isEqualTo("bin/perf.sh run true_1 --out 'my reports' 'it'\\''s' ''");
  }
}
