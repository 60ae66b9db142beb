package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.RangeLoad.Spread;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and loads the example strategy of docs/PLUGINS.md. */
class SplitStrategyPluginTest {
  private static final Path DOCUMENT = Path.of("../docs/PLUGINS.md");
  private static final NodeLoad NODE_LOAD = new NodeLoad(0.2, 3, 100);
  private static final SplitStrategy BUILT_IN =
      (load, node) -> new SplitAdvice.Keep(Reason.TOO_YOUNG);

  @TempDir private Path folder;

  @BeforeEach
  void install() throws IOException {
    String page = Files.readString(DOCUMENT);
    int at = page.indexOf("public final class EagerSplits");
    String source =
        page.substring(
            page.lastIndexOf("```java", at) + "```java".length(), page.indexOf("```", at));
    PluginJar.create(
        folder, "eager-splits", "SplitStrategy=com.example.EagerSplits", source.strip());
  }

  private Plugins open(Map<String, String> values) throws SecurityStartException {
    return Plugins.open(
        TestSettings.with("pluginDir", folder.toString()), values, SecurityObserver.NONE);
  }

  private static RangeLoad load(String store, double requests, List<byte[]> keys) {
    Spread spread = new Spread(requests, requests, requests);
    return new RangeLoad(
        store,
        store + "-1",
        Duration.ofMinutes(1),
        spread,
        requests,
        Duration.ofMinutes(1),
        new Spread(0.1, 0.1, 0.1),
        5_000,
        () -> keys);
  }

  @Test
  void shouldReplaceTheBuiltInStrategy() throws Exception {
    try (Plugins plugins = open(Map.of("eager-splits.most", "500"))) {
      SplitStrategy strategy = plugins.splitStrategy("eager-splits", BUILT_IN);
      byte[] middle = {7};
      List<byte[]> keys = List.of(new byte[] {3}, new byte[] {3}, middle, new byte[] {9});
      assertThat(strategy.advise(load("inbox", 501, keys), NODE_LOAD))
          .isInstanceOfSatisfying(
              SplitAdvice.Split.class, split -> assertThat(split.key()).isSameAs(middle));
      assertThat(strategy.advise(load("inbox", 500, keys), NODE_LOAD))
          .isEqualTo(new SplitAdvice.Keep(Reason.COLD));
      assertThat(strategy.advise(load("retain", 5_000, keys), NODE_LOAD))
          .isEqualTo(new SplitAdvice.Keep(Reason.COLD));
      assertThat(strategy.advise(load("inbox", 501, List.of(middle, middle)), NODE_LOAD))
          .isEqualTo(new SplitAdvice.Keep(Reason.ONE_HOT_KEY));
    }
  }

  @Test
  void shouldUseAStrategyOnlyIfItIsConfigured() throws Exception {
    try (Plugins plugins = open(Map.of())) {
      assertThat(plugins.splitStrategy("", BUILT_IN)).isSameAs(BUILT_IN);
      assertThatThrownBy(() -> plugins.splitStrategy("eager", BUILT_IN))
          .isInstanceOf(SecurityStartException.class)
          .hasMessageContaining("splitConfig.strategy is 'eager'")
          .hasMessageContaining(folder.toString());
    }
  }
}
