package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of a trace from several nodes. */
class TraceCommandTest {
  private final FakeApi api = new FakeApi();

  @AfterEach
  void close() {
    api.close();
  }

  private FakeApi part(String node, int position, int next, String hint, String items) {
    String meta =
        "{\"position\":" + next + (hint.isEmpty() ? "" : ",\"hint\":\"" + hint + "\"") + "}";
    return api.on(
        "GET /trace/x/log?node=%s&position=%d&bytes=262144".formatted(node, position),
        "{\"meta\":%s,\"items\":\"%s\"}".formatted(meta, items));
  }

  private void prepare() {
    api.on(
        "GET /trace/x/log_detail", "[{\"node\":\"n1\",\"size\":9},{\"node\":\"n2\",\"size\":0}]");
    part("n1", 0, 7, "", "1 a\\n3 c");
    part("n1", 7, 12, "eof", "c\\n5 e\\n");
  }

  @Test
  void shouldMergeTheLinesOfAllNodes() {
    prepare();
    part("n2", 0, 8, "eof", "2 b\\n4 d\\n");
    assertThat(Cli.of(api).line("trace download x"))
        .isEqualTo(new Cli.Result(0, "1 a\n2 b\n3 cc\n4 d\n5 e\n", ""));
  }

  @Test
  void shouldWriteAFileThatOnlyTheUserCanRead(@TempDir Path folder) throws IOException {
    prepare();
    part("n2", 0, 0, "eof", "");
    Path file = folder.resolve("x.log");
    Cli.Result result = Cli.of(api).run("trace", "download", "x", "--out", file.toString());
    assertThat(result.err()).contains("3 lines written to " + file);
    assertThat(file).hasContent("1 a\n3 cc\n5 e");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Cli.Result again = Cli.of(api).run("trace", "download", "x", "--out", file.toString());
    assertThat(again.code()).isEqualTo(2);
    assertThat(again.err()).contains("exists; choose another file");
  }

  @Test
  void shouldFollowUntilTheTraceEnds() {
    prepare();
    part("n2", 0, 4, "retry", "2 b\\n");
    AtomicInteger pauses = new AtomicInteger();
    Cli.Result result =
        Cli.of(api)
            .pause(
                seconds -> {
                  int number = pauses.incrementAndGet();
                  part(
                      "n2",
                      4,
                      4 + 4 * (number - 1),
                      number == 1 ? "retry" : "eof",
                      number == 1 ? "" : "6 f\\n");
                  return true;
                })
            .line("trace follow x");
    assertThat(result).isEqualTo(new Cli.Result(0, "1 a\n2 b\n3 cc\n5 e\n6 f\n", ""));
    assertThat(pauses).hasValue(2);
  }

  @Test
  void shouldShowTheSizeOnAllNodes() {
    api.on(
        "GET /trace",
        """
        [{"name":"x","type":"topic","topic":"a/#","status":"running","payload_encode":"text","by":"key",
        "start_at":"2026-11-26T11:00:00Z","end_at":"2026-11-26T12:00:00Z","log_size":{"n1":5,"n2":7},
        "log_problems":{"n1":"disk full"}}]
        """);
    assertThat(Cli.of(api).line("trace list").out())
        .endsWith(
            "x\ttopic\ta/#\t\trunning\ttext\t2026-11-26T11:00:00Z\t2026-11-26T12:00:00Z\tkey\t12"
                + "\tnode n1: disk full\n");
  }
}
