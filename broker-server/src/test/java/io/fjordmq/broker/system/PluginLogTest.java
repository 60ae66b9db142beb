package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.security.PluginJar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log output of plugins goes to the broker's log, which is rotated. */
@Tag("slow")
class PluginLogTest {
  private static final String SOURCE =
      """
      package com.example;

      import io.fjordmq.api.plugin.ClientEventListener;
      import io.fjordmq.api.plugin.Settings;

      public final class Talkative implements ClientEventListener {
        @Override
        public void start(Settings settings) {
          System.getLogger("talkative").log(System.Logger.Level.INFO, "by System.Logger");
          java.util.logging.Logger.getLogger("talkative").warning("by java.util.logging");
          System.out.println("by standard output");
        }
      }
      """;

  @TempDir Path folder;

  @Test
  void shouldWritePluginLogLinesToTheBrokerLog() throws IOException {
    Path plugins = folder.resolve("plugins");
    PluginJar.create(plugins, "talkative", "ClientEventListener=com.example.Talkative", SOURCE);
    String configuration = "securityConfig:\n  pluginDir: " + plugins + "\n";
    try (BrokerUnderTest broker =
        BrokerUnderTest.startIn(folder.resolve("broker"), configuration, List.of())) {
      assertThat(broker.nodeDirectory().resolve("logs/fjordmq.log"))
          .content()
          .containsPattern(" INFO .* talkative - by System\\.Logger\n")
          .containsPattern(" WARN .* talkative - by java\\.util\\.logging\n")
          .doesNotContain("by standard output");
      assertThat(broker.output()).contains("by standard output");
    }
  }
}
