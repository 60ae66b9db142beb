package io.fjordmq.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcessUsageTest {
  @Test
  void shouldMeasureCpuTimeOfThisProcess() {
    long self = ProcessHandle.current().pid();
    ProcessUsage before = ProcessUsage.of(self);
    long rounds = 0;
    while (ProcessUsage.of(self).cpuMicros() < before.cpuMicros() + 50_000) {
      rounds++;
    }
    assertThat(rounds).isPositive();
    assertThat(before.residentKilobytes()).isGreaterThan(1_000);
  }

  @Test
  void shouldMeasureCpuAndWaitTimeOfOneThread() {
    long self = ProcessHandle.current().pid();
    String name = Thread.currentThread().getName();
    Thread.currentThread().setName("burner");
    try {
      while (ProcessUsage.threadCpuMicros(self, "burner") < 50_000) {
        assertThat(ProcessUsage.threadWaitMicros(self, "burner")).isNotNegative();
      }
    } finally {
      Thread.currentThread().setName(name);
    }
    assertThat(ProcessUsage.threadCpuMicros(self, "nobody")).isZero();
  }

  @Test
  void shouldSkipThreadsThatExitWhileTheyAreRead(@TempDir Path proc) throws IOException {
    Path running = Files.createDirectories(proc.resolve("task").resolve("1"));
    Files.writeString(running.resolve("comm"), "loop-1");
    Files.writeString(running.resolve("stat"), "1 (loop-1) S 0 0 0 0 0 0 0 0 0 0 2 3 0 0");
    Path exiting = Files.createDirectories(proc.resolve("task").resolve("2"));
    Files.writeString(exiting.resolve("comm"), "loop-2");
    Files.createDirectories(proc.resolve("task").resolve("3"));
    assertThat(ProcessUsage.threadCpuMicros(proc, "loop")).isEqualTo(50_000);
  }

  @Test
  void shouldMeasureProcessesOfOtherUsers(@TempDir Path proc) throws IOException {
    Path self = Path.of("/proc/self");
    for (String readable : new String[] {"stat", "status"}) {
      Files.writeString(proc.resolve(readable), Files.readString(self.resolve(readable)));
    }
    ProcessUsage foreign = ProcessUsage.of(proc); // its io file is not readable
    assertThat(foreign.residentKilobytes()).isPositive();
    assertThat(foreign.writtenSince(foreign)).isEmpty();
    ProcessUsage own = ProcessUsage.of(ProcessHandle.current().pid());
    assertThat(own.writtenSince(own)).hasValue(0);
    assertThat(own.writtenSince(foreign)).isEmpty();
  }

  @Test
  void shouldNameAMissingProcess() {
    assertThatThrownBy(() -> ProcessUsage.of(Integer.MAX_VALUE))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(String.valueOf(Integer.MAX_VALUE));
  }
}
