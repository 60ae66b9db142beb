package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFileTest {
  @TempDir Path folder;
  private final List<Boolean> reports = new ArrayList<>();
  private @Nullable String fault;
  private Path path;
  private WatchedFile<String> file;

  @BeforeEach
  void open() throws Exception {
    path = Files.writeString(folder.resolve("rules"), "all");
    SecurityObserver observer =
        new SecurityObserver() {
          @Override
          public void onFileReloaded(boolean taken) {
            reports.add(taken);
          }
        };
    file = new WatchedFile<>("securityConfig.aclFile", path.toString(), this::read, observer);
  }

  private String read(Path from) throws IOException {
    if (fault != null) {
      throw new IOException(fault);
    }
    return Files.readString(from);
  }

  @Test
  void shouldRetryAChangedFileThatIsTemporarilyUnreadable() throws IOException {
    Files.writeString(path, "nobody");
    fault = path + ": Too many open files";
    file.poll();
    file.poll();
    assertThat(file.current()).isEqualTo("all");
    assertThat(reports).as("reported once").containsExactly(false);
    fault = null;
    file.poll();
    assertThat(file.current()).isEqualTo("nobody");
    file.poll();
    assertThat(reports).containsExactly(false, true);
  }

  @Test
  void shouldReportEachErrorOnce() throws IOException {
    fault = "line 1";
    Files.writeString(path, "broken");
    file.poll();
    file.poll();
    Files.writeString(path, "still broken");
    file.poll();
    file.poll();
    fault = "line 2";
    file.poll();
    Files.delete(path);
    file.poll();
    file.poll();
    assertThat(reports).containsExactly(false, false, false, false);
    assertThat(file.current()).isEqualTo("all");
    fault = null;
    Files.writeString(path, "good again");
    file.poll();
    assertThat(file.current()).isEqualTo("good again");
    assertThat(reports).last().isEqualTo(true);
  }
}
