package io.fjordmq.perf.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerProcessTest {
  @TempDir Path directory;
  @TempDir Path elsewhere;

  /** Starts a process that is not a child of this one, like a node whose start script exited. */
  private static ProcessHandle startDetached(Path directory) throws IOException {
    Path config = Files.writeString(directory.resolve("standalone.yml"), "");
    Process script =
        new ProcessBuilder(
                "sh", "-c", "tail -f \"$0\" >/dev/null 2>&1 & echo $!", config.toString())
            .start();
    String pid = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
  }

  private void writeLockFile(long pid) throws IOException {
    Path data = Files.createDirectories(directory.resolve("node1/data"));
    Files.writeString(data.resolve("lock"), pid + "\n");
  }

  @Test
  void shouldKillANodeWhoseStartIsAbandoned() throws Exception {
    ProcessHandle node = startDetached(directory);
    try {
      writeLockFile(node.pid());
      BrokerProcess.abandon(directory);
      node.onExit().get(30, TimeUnit.SECONDS);
      assertThat(node.isAlive()).isFalse();
    } finally {
      node.destroyForcibly();
    }
  }

  @Test
  void shouldNotKillAnotherProcessWithAReusedPid() throws Exception {
    ProcessHandle other = startDetached(elsewhere);
    try {
      writeLockFile(other.pid());
      BrokerProcess.abandon(directory);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }
}
