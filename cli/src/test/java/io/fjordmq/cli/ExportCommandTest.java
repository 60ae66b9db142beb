package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of JSON lines: written by an export, read by an import. */
class ExportCommandTest {
  private static final String HEADER =
      "{\"type\":\"fjordmq-export\",\"format\":1,\"exported_at\":\"2026-11-26T12:00:00.500Z\"}";
  private static final String SESSION = "{\"type\":\"session\",\"clientid\":\"c%d\"}";
  private static final String RETAINED = "{\"type\":\"retained\",\"topic\":\"a\"}";
  private static final String END = "{\"type\":\"end\",\"sessions\":2,\"retained\":1,\"users\":0}";
  private static final String EMPTY = "{\"data\":[],\"meta\":{\"hasnext\":false}}";

  private final FakeApi api = new FakeApi();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    api.close();
  }

  private Path file(String... lines) throws IOException {
    return Files.write(folder.resolve("data.jsonl"), List.of(lines));
  }

  @Test
  void shouldWriteOneObjectPerLine() throws IOException {
    api.on(
            "GET /export/sessions?tenant=t",
            "{\"data\":[{\"clientid\":\"c1\"}],\"meta\":{\"hasnext\":true,\"cursor\":\"x\"}}")
        .on(
            "GET /export/sessions?tenant=t&cursor=x",
            "{\"data\":[{\"clientid\":\"c2\"}],\"meta\":{\"hasnext\":false}}")
        .on(
            "GET /export/retained?tenant=t",
            "{\"data\":[{\"topic\":\"a\"}],\"meta\":{\"hasnext\":false}}")
        .on("GET /export/mqtt_users?tenant=t", EMPTY);
    Path file = folder.resolve("data.jsonl");
    assertThat(Cli.of(api).line("export " + file + " --tenant t"))
        .isEqualTo(
            new Cli.Result(
                0, "exported to %s: 2 sessions, 1 retained, 0 users\n".formatted(file), ""));
    assertThat(file)
        .hasContent(
            String.join("\n", HEADER, SESSION.formatted(1), SESSION.formatted(2), RETAINED, END));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Cli.of(api).line("export " + file).err()).contains("exists; name a new file");
  }

  @Test
  void shouldImportInBatchesAndListWhatExists() throws IOException {
    Path file = file(HEADER, SESSION.formatted(1), SESSION.formatted(2), RETAINED, END);
    api.on("POST /import/sessions", "{\"created\":1,\"existing\":[\"c2\"]}")
        .on("POST /import/retained", "{\"created\":0,\"existing\":[],\"refused\":[\"a\"]}");
    assertThat(Cli.of(api).line("import data " + file))
        .isEqualTo(
            new Cli.Result(
                0,
                "imported: 1 sessions, 0 retained; skipped: 2\n",
                "skipped: session 'c2' exists\n"
                    + "skipped: retained 'a' has expired, is empty or exceeds a limit\n"));
    assertThat(api.requests().get(0).body())
        .isEqualTo("[{\"clientid\":\"c1\"},{\"clientid\":\"c2\"}]");
  }

  @Test
  void shouldImportNothingFromAnIncompleteFile() throws IOException {
    assertThat(Cli.of(api).line("import data " + file(HEADER, RETAINED)).err())
        .contains("is not a complete export: the last line is missing");
    assertThat(Cli.of(api).line("import data " + file(HEADER, RETAINED, END)).err())
        .contains("the file has 0 sessions instead of 2");
    assertThat(Cli.of(api).line("import data " + file("{}")).err())
        .contains("the first line is not the header");
    assertThat(
            Cli.of(api)
                .line("import data " + file("{\"type\":\"fjordmq-export\",\"format\":2}"))
                .err())
        .contains("has format 2");
    assertThat(api.lines()).isEmpty();
  }
}
