package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.MoodyBroker;
import io.fjordmq.perf.MoodyBroker.Mood;
import io.fjordmq.perf.machine.WorkFolder;
import io.fjordmq.perf.report.Parsed;
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

/** What is left when not all can be done: the runs that were, and the logs of a start. */
class FailedRunTest {
  private static final Pattern LOGS = Pattern.compile("logs of the brokers: (\\S+)");

  @TempDir Path folder;

  private final PrintStream err = System.err;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(err);
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  private static int run(Path checkout, Path out, String... more) {
    List<String> words =
        new ArrayList<>(List.of("run", "true_3_3_qos1_p64_20mps_1n", "--out", out.toString()));
    words.addAll(List.of("--warm", "0", "--seconds", "1"));
    words.addAll(List.of(more));
    return new PerfTool(checkout, checkout).run(words);
  }

  /** A checkout whose broker says why it does not start. */
  private Path checkoutWithoutLuck() throws IOException {
    Path checkout = Files.createDirectory(folder.resolve("checkout"));
    Files.createDirectories(checkout.resolve("perf/scenarios"));
    Path script = Files.createDirectory(checkout.resolve("bin")).resolve("standalone.sh");
    Files.writeString(script, "#!/bin/sh\necho no luck today\nexit 1\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return checkout;
  }

  @Test
  void shouldKeepTheLogsOfAStartThatFailed() throws IOException {
    int code = run(checkoutWithoutLuck(), folder.resolve("reports"));
    assertThat(code).isEqualTo(PerfTool.NOT_DONE);
    assertThat(said()).contains("FjordMQ did not start: no luck today");
    Matcher logs = LOGS.matcher(said());
    assertThat(logs.find()).isTrue();
    WorkFolder work = new WorkFolder(Path.of(logs.group(1)));
    try {
      assertThat(work.path().resolve("fjordmq-0/node1/start.log")).content().contains("no luck");
    } finally {
      work.delete();
    }
  }

  @Test
  void shouldLookAtTheFolderOfReportsBeforeTheFirstStart() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "not a folder");
    assertThat(run(checkoutWithoutLuck(), file)).isEqualTo(PerfTool.NOT_DONE);
    assertThat(said())
        .contains("cannot write a report to " + file + ": the path exists and is not a directory")
        .doesNotContain("no luck");
  }

  @Test
  void shouldReportTheRunsBeforeTheOneThatFailed() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    // It takes part in nothing but is the broker's by what is said; it ends in the first run.
    try (MoodyBroker broker =
        new MoodyBroker(
            client -> {
              end(process);
              return Mood.SERVE;
            })) {
      Path out = folder.resolve("reports");
      String host = "127.0.0.1:" + broker.address().getPort();
      String pid = Long.toString(process.pid());
      int code = run(PerfToolTest.root(), out, "--hosts", host, "--pids", pid, "--runs", "3");
      assertThat(code).isEqualTo(PerfTool.NOT_DONE);
      String failed = "incomplete: run 2 of 3 of given failed: --pids " + pid;
      assertThat(said()).contains(failed).doesNotContain("logs of the brokers");
      Parsed report = report(out);
      assertThat(report.list("runs")).hasSize(1);
      assertThat(report.list("notes").toString()).contains(failed);
      assertThat(report.at("facts", "program of " + host).toString()).contains("/");
      assertThat(report.at("facts", "commit of the tool").toString()).isNotEmpty();
    } finally {
      end(process);
    }
  }

  private static void end(Process process) {
    process.destroyForcibly().onExit().join();
  }

  private static Parsed report(Path out) throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      Path json = files.filter(file -> file.toString().endsWith(".json")).findFirst().orElseThrow();
      return new Parsed(Files.readString(json));
    }
  }

  @Test
  void shouldSayItsCommandAsAShellTakesIt() {
    assertThat(RunCommand.command(List.of("run", "true_1", "--out", "my reports", "it's", "")))
        .isEqualTo("bin/perf.sh run true_1 --out 'my reports' 'it'\\''s' ''");
  }
}
