package io.fjordmq.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How reports describe the measured programs. */
class ProgramTest {
  @Test
  void shouldReportTheJavaVersionOfAProcess() throws InterruptedException {
    assertThat(Program.of(ProcessHandle.current().pid()))
        .startsWith("Java " + System.getProperty("java.version"));
  }

  @Test
  void shouldReadTheReleaseFileOfAJdk(@TempDir Path jdk) throws Exception {
    Path java = Files.createDirectory(jdk.resolve("bin")).resolve("java");
    assertThat(Program.java(java)).isEqualTo(java.toString());
    Files.writeString(
        jdk.resolve("release"),
        "IMPLEMENTOR=\"Somebody\"\nJAVA_RUNTIME_VERSION=\"25.0.3+9\"\nJAVA_VERSION=\"25.0.3\"\n");
    assertThat(Program.java(java)).isEqualTo("Java 25.0.3+9, Somebody");
  }

  @Test
  void shouldNameOtherProgramsByTheirPath() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    try {
      assertThat(Program.of(process.pid())).startsWith("/");
    } finally {
      process.destroyForcibly().onExit().join();
    }
    assertThat(Program.of(process.pid())).isEqualTo("unknown");
  }

  @Test
  void shouldFindProgramsByName(@TempDir Path directory) throws Exception {
    Path program = Files.writeString(directory.resolve("broker"), "#!/bin/sh\n");
    assertThat(Program.isInPath("broker", "/nowhere:" + directory)).isFalse();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(Program.isInPath("broker", "/nowhere:" + directory)).isTrue();
    assertThat(Program.isInPath("broker", "/nowhere")).isFalse();
  }

  @Test
  void shouldReadTheCongestionControlOfTheRoute() {
    String own = "local 127.0.0.1 dev lo src 127.0.0.1 uid 0 \n    cache <local> congctl cubic \n";
    assertThat(HostInfo.congestionControl(own, "bbr")).isEqualTo("cubic");
    String none = "local 127.0.0.1 dev lo src 127.0.0.1 uid 0 \n    cache <local> \n";
    assertThat(HostInfo.congestionControl(none, "bbr")).isEqualTo("bbr");
    assertThat(HostInfo.congestionControl("", "bbr")).isEqualTo("bbr");
  }
}
