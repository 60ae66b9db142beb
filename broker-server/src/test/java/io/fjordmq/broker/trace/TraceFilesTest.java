package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are bounded, belong to their owner and say what is missing. */
class TraceFilesTest {
  private static final Instant AT = Instant.parse("2030-01-01T00:00:00Z");
  private static final Trace TRACE =
      new Trace(
          "x",
          TraceType.CLIENTID,
          "c",
          null,
          PayloadEncoding.HIDDEN,
          "a",
          AT,
          AT,
          AT,
          TraceFormat.TEXT);
  private static final int MAX_BYTES = 8 << 10;

  private boolean hasFreeDiskSpace = true;

  private TraceFiles files(Path folder) {
    return files(folder, MAX_BYTES);
  }

  private TraceFiles files(Path folder, int maxBytes) {
    return new TraceFiles(
        folder.resolve("trace"), "n1", () -> AT, () -> hasFreeDiskSpace, maxBytes);
  }

  private static List<String> lines(TraceFile file) throws IOException {
    return Files.readAllLines(file.path());
  }

  @Test
  void shouldWriteWhatOnlyTheOwnerCanRead(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    TraceFile file = files.open(TRACE);
    assertThat(files.open(TRACE)).isSameAs(file);
    files.add(file, "one\n");
    files.writeQueued();
    assertThat(lines(file))
        .containsExactly(
            "2030-01-01T00:00:00.000Z n1 note trace started: clientid=c payload=hidden"
                + " until=2030-01-01T00:00:00Z",
            "one");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
        .isEqualTo("rw-------");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("trace"))))
        .isEqualTo("rwx------");
    assertThat(files.infos())
        .singleElement()
        .satisfies(
            info -> {
              assertThat(info.fileName()).isEqualTo(TRACE.fileName());
              assertThat(info.bytes()).isEqualTo(Files.size(file.path()));
            });
  }

  @Test
  void shouldStopAtTheMaximumSizeAndSaySo(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    TraceFile file = files.open(TRACE);
    for (int i = 0; i < 1_000; i++) {
      files.add(file, "line " + i + "\n");
    }
    files.writeQueued();
    assertThat(Files.size(file.path())).isLessThanOrEqualTo(MAX_BYTES);
    assertThat(file.isAccepting()).isFalse();
    List<String> lines = lines(file);
    assertThat(lines.get(lines.size() - 1))
        .endsWith("note the file has reached traceConfig.maxFileBytes (8192); stopped");
    files.close();

    TraceFiles restarted = files(folder);
    restarted.add(restarted.open(TRACE), "more\n");
    restarted.writeQueued();
    assertThat(Files.size(file.path())).isLessThanOrEqualTo(MAX_BYTES);
    assertThat(lines(file)).doesNotContain("more");
  }

  @Test
  void shouldCountLostLines(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder, 1 << 20);
    TraceFile file = files.open(TRACE);
    for (int i = 0; i < TraceFiles.MAX_QUEUED_LINES + 5; i++) {
      files.add(file, "\n");
    }
    files.writeQueued();
    hasFreeDiskSpace = false;
    files.add(file, "not written\n");
    files.writeQueued();
    hasFreeDiskSpace = true;
    files.add(file, "written\n");
    files.writeQueued();
    String text = Files.readString(file.path());
    assertThat(text)
        .contains(" note 5 lines lost: ", " note 1 lines lost: ", "\nwritten\n")
        .doesNotContain("not written");
  }

  @Test
  void shouldResumeOnANewLineAfterACrash(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    TraceFile torn = files.open(TRACE);
    files.close();
    Files.writeString(torn.path(), "2030-01-01T00:00:00.000Z n1 rec", StandardOpenOption.APPEND);
    TraceFiles restarted = files(folder);
    restarted.add(restarted.open(TRACE), "after\n");
    restarted.writeQueued();
    assertThat(lines(torn))
        .contains("2030-01-01T00:00:00.000Z n1 rec", "after")
        .anyMatch(line -> line.startsWith("2030-01-01T00:00:00.000Z n1 note trace resumed"));
  }

  @Test
  void shouldResumeAfterARestart(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    files.add(files.open(TRACE), "before\n");
    files.close();
    TraceFiles restarted = files(folder);
    TraceFile file = restarted.open(TRACE);
    restarted.add(file, "after\n");
    restarted.writeQueued();
    assertThat(lines(file))
        .hasSize(4)
        .contains("before", "after")
        .anyMatch(line -> line.contains("note trace resumed after a restart of this node"));
  }

  @Test
  void shouldReadParts(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    TraceFile file = files.open(TRACE);
    files.add(file, "last\n");
    files.writeQueued();
    long size = Files.size(file.path());
    TraceFiles.Part part = files.read(TRACE.fileName(), size - 5, 3);
    assertThat(new String(part.bytes(), StandardCharsets.UTF_8)).isEqualTo("las");
    assertThat(part.fileBytes()).isEqualTo(size);
    assertThat(files.read(TRACE.fileName(), size + 1, 3).bytes()).isEmpty();
    assertThat(files.read("absent-1", 0, 3).fileBytes()).isZero();
    assertThatThrownBy(() -> files.read("../identity", 0, 3)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldDeleteOnlyItsOwnFiles(@TempDir Path folder) throws IOException {
    TraceFiles files = files(folder);
    TraceFile file = files.open(TRACE);
    Path other = Files.writeString(file.path().resolveSibling("notes.txt"), "mine");
    files.deleteExcept(Set.of(TRACE.fileName()));
    assertThat(file.path()).exists();
    files.closeExcept(Set.of());
    assertThat(Files.readString(file.path())).endsWith("note trace stopped\n");
    files.deleteExcept(Set.of());
    assertThat(file.path()).doesNotExist();
    assertThat(other).exists();
  }
}
