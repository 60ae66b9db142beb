package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests and responses are files that only the node's owner can access. */
class ControlDirectoryTest {
  private final List<List<String>> requests = new ArrayList<>();
  private Instant now = Instant.now();
  private final InstantSource clock = () -> now;

  @TempDir Path data;
  private Path folder;

  @BeforeEach
  void resolveFolder() {
    folder = data.resolve("control");
  }

  private ControlDirectory open() throws IOException {
    return ControlDirectory.open(
        data,
        words -> {
          requests.add(words);
          if (words.contains("defect")) {
            throw new IllegalStateException("planted");
          }
          return new CommandResult(CommandResult.IN_PROGRESS, "one\ntwo");
        },
        clock);
  }

  private String submit(ControlDirectory control, String request) throws IOException {
    Files.writeString(folder.resolve("7-1.request"), request);
    control.poll();
    assertThat(folder.resolve("7-1.request")).doesNotExist();
    return Files.readString(folder.resolve("7-1.response"));
  }

  @Test
  void shouldRunEachRequestOnceAndWriteTheResponse() throws IOException {
    ControlDirectory control = open();
    assertThat(submit(control, " voters  inbox=3\n")).isEqualTo("75\none\ntwo\n");
    control.poll();
    assertThat(requests).containsExactly(List.of("voters", "inbox=3"));
  }

  @Test
  void shouldRestrictAccessToTheOwner() throws IOException {
    open();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
  }

  @Test
  void shouldDiscardRequestsToAnEarlierProcess() throws IOException {
    open();
    Files.writeString(folder.resolve("1-1.request"), "leave");
    Files.writeString(folder.resolve("1-2.response"), "0\ndone\n");
    open().poll();
    assertThat(folder).isEmptyDirectory();
    assertThat(requests).isEmpty();
  }

  @Test
  void shouldRemoveResponsesThatNobodyReads() throws IOException {
    ControlDirectory control = open();
    submit(control, "voters");
    now = now.plusSeconds(500);
    control.poll();
    assertThat(folder.resolve("7-1.response")).exists();
    now = now.plusSeconds(200);
    control.poll();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void shouldRejectLongRequestsAndSurviveAnException() throws IOException {
    ControlDirectory control = open();
    assertThat(submit(control, "x".repeat(5_000))).startsWith("2\nthe command is longer than");
    assertThat(submit(control, "defect")).startsWith("1\n").contains("planted");
    assertThat(submit(control, "voters")).startsWith("75\n");
  }

  @Test
  void shouldKeepTheApiFileUntilTheNodeStops() throws IOException {
    ControlDirectory control = open();
    ApiFile api = ApiFile.write(data, "http://127.0.0.1:1", "secret");
    Path file = folder.resolve("api.json");
    assertThat(file).hasContent("{\"url\":\"http://127.0.0.1:1\",\"token\":\"secret\"}");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    now = now.plusSeconds(86_400);
    control.poll();
    assertThat(file).exists();
    api.close();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void shouldReplaceTheApiFileOfAnEarlierProcess() throws IOException {
    open();
    ApiFile.write(data, "http://127.0.0.1:1", "old");
    open();
    assertThat(folder).isEmptyDirectory();
    ApiFile.write(data, "http://127.0.0.1:2", "new");
    assertThat(folder.resolve("api.json")).content().contains("new");
  }
}
