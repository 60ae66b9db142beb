package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.MoodyBroker;
import io.fjordmq.perf.MoodyBroker.Mood;
import io.fjordmq.perf.report.Parsed;
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

/** How the tool ends, by what an external broker did. */
class EndCodeTest {
  @TempDir Path out;

  private final PrintStream terminal = System.out;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setOut(terminal);
  }

  private int run(Function<String, Mood> moods) throws IOException {
    try (MoodyBroker broker = new MoodyBroker(moods)) {
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

  private Parsed report() throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      Path json = files.filter(file -> file.toString().endsWith(".json")).findFirst().orElseThrow();
      return new Parsed(Files.readString(json));
    }
  }

  @Test
  void shouldEndWithZeroIfAllIsWell() throws IOException {
    assertThat(run(client -> Mood.SERVE)).isEqualTo(PerfTool.FLAWLESS);
    assertThat(report().at("flawless")).isEqualTo(true);
  }

  @Test
  void shouldEndWithOneIfSomebodyWasRefused() throws IOException {
    assertThat(run(client -> client.equals("s1") ? Mood.REFUSE : Mood.SERVE))
        .isEqualTo(PerfTool.FAULTS);
    assertThat(report().at("flawless")).isEqualTo(false);
    assertThat(report().number("runs", 0, "figures", "received")).isPositive();
    assertThat(report().list("runs", 0, "faults").toString()).contains("CONNACK 0x03 (s1)");
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("1 clients could not connect")
        .doesNotContain("logs of the brokers"); // whose they are is not the tool's to say
  }

  @Test
  void shouldEndWithOneIfNobodyWasLetIn() throws IOException {
    assertThat(run(client -> Mood.REFUSE)).isEqualTo(PerfTool.FAULTS);
    assertThat(report().list("runs", 0, "faults").toString()).contains("there was no load");
  }
}
