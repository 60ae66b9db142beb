package io.fjordmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the command line; {@code broker.system} tests whole processes. */
class MainTest {
  @TempDir Path dir;

  @Test
  void shouldUseTheDefaultFileWithoutArguments() {
    assertThat(Main.commandLine())
        .isEqualTo(new CommandLine(Path.of("conf/standalone.yml"), null, null));
  }

  @Test
  void shouldPutDataAndLogsBelowTheBaseDirectory() {
    Path base = dir.resolve("a/b");
    assertThat(Main.commandLine("-d", base.toString(), "-c", "my.yml"))
        .isEqualTo(
            new CommandLine(
                Path.of("my.yml"),
                base.resolve("data").toString(),
                base.resolve("logs").toString()));
    assertThat(base).isDirectory();
  }

  @Test
  void shouldRejectUnknownArguments() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Main.commandLine("--port", "1"))
        .withMessage("unknown option --port");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Main.commandLine("-c"))
        .withMessage("-c needs a value");
  }
}
