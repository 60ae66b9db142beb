package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class MemoryLimitsTest {
  private static final long MEBIBYTE = 1L << 20;

  @Test
  void shouldReadWhatTheScriptDecided() {
    MemoryLimits limits = MemoryLimits.of(properties("512", "cgroup", "48"), 204 << 20, 102 << 20);

    assertThat(limits)
        .isEqualTo(
            new MemoryLimits(
                512 * MEBIBYTE, "cgroup", 204 * MEBIBYTE, 102 * MEBIBYTE, 48 * MEBIBYTE));
    assertThat(limits.warning()).isEmpty();
    assertThat(limits)
        .hasToString(
            "available=512 MiB source=cgroup heap=204 MiB direct=102 MiB databases=48 MiB");
  }

  @Test
  void shouldUseOrdinaryBuffersWithoutTheScript() {
    MemoryLimits limits = MemoryLimits.of(new Properties(), 1 << 30, 0);

    assertThat(limits.databases()).isEqualTo(192 * MEBIBYTE);
    assertThat(limits.warning()).isEmpty();
    assertThat(limits).hasToString("source=host heap=1024 MiB direct=0 MiB databases=192 MiB");
  }

  @Test
  void shouldWarnIfOptionsOfTheJvmExceedTheLimit() {
    MemoryLimits limits =
        MemoryLimits.of(properties("2048", "cgroup", "192"), 1800 * MEBIBYTE, 409 * MEBIBYTE);

    assertThat(limits.warning())
        .hasValueSatisfying(
            text -> assertThat(text).contains("heap=1800 MiB", "2048 MiB (cgroup)", "-Xmx"));
  }

  @Test
  void shouldIgnoreInvalidProperties() {
    MemoryLimits limits = MemoryLimits.of(properties("-5", "host", "1"), 1 << 20, 1 << 20);

    assertThat(limits.available()).isZero();
    assertThat(limits.databases()).isEqualTo(24 * MEBIBYTE);
  }

  private static Properties properties(String available, String source, String databases) {
    Properties properties = new Properties();
    properties.setProperty("fjordmq.memory", available);
    properties.setProperty("fjordmq.memorySource", source);
    properties.setProperty("fjordmq.databaseMemory", databases);
    return properties;
  }
}
