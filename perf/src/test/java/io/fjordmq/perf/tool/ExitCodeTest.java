package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.report.ParsedReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exit codes of the tool, depending on what an external broker does. */
class ExitCodeTest {
  @TempDir Path out;

  private final PrintStream terminal = System.out;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @BeforeEach
  void captureOutput() {
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restoreOutput() {
    System.setOut(terminal);
  }

  private int run(Function<String, ClientHandling> handlings) throws IOException {
    try (FaultyBroker broker = new FaultyBroker(handlings)) {
      String host = "127.0.0.1:" + broker.address().getPort();
      return new PerfTool(PerfToolTest.root(), out)
          .run(
              List.of(
                  "run",
                  "true_3_3_qos1_p64_20mps_1n",
                  "--hosts",
                  host,
                  "--warm",
                  "0",
                  "--seconds",
                  "1",
                  "--out",
                  out.toString()));
    }
  }

  private ParsedReport report() throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      Path json = files.filter(file -> file.toString().endsWith(".json")).findFirst().orElseThrow();
      return new ParsedReport(Files.readString(json));
    }
  }

  @Test
  void shouldExitWithZeroIfThereAreNoFaults() throws IOException {
    assertThat(run(client -> ClientHandling.SERVE)).isEqualTo(PerfTool.NO_FAULTS);
    assertThat(report().at("flawless")).isEqualTo(true);
  }

  @Test
  void shouldExitWithOneIfAClientWasRefused() throws IOException {
    assertThat(run(client -> client.equals("s1") ? ClientHandling.REFUSE : ClientHandling.SERVE))
        .isEqualTo(PerfTool.FAULTS);
    assertThat(report().at("flawless")).isEqualTo(false);
    assertThat(report().number("runs", 0, "figures", "received")).isPositive();
    assertThat(report().list("runs", 0, "faults").toString()).contains("CONNACK 0x03 (s1)");
    assertThat(output.toString(StandardCharsets.UTF_8))
        .contains("1 clients could not connect")
        .doesNotContain("broker logs"); // an external broker's logs are unknown to the tool
  }

  @Test
  void shouldExitWithOneIfEveryClientWasRefused() throws IOException {
    assertThat(run(client -> ClientHandling.REFUSE)).isEqualTo(PerfTool.FAULTS);
    assertThat(report().list("runs", 0, "faults").toString()).contains("there was no load");
  }
}
