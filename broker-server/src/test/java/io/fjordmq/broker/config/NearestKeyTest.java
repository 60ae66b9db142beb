package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestKeyTest {
  private static final List<String> KEYS =
      List.of("clusterConfig.port", "clusterConfig.host", "bootstrap");

  @Test
  void shouldFindTheKeyWithTheFewestEdits() {
    assertThat(NearestKey.to("clusterconfig.prot", KEYS)).isEqualTo("clusterConfig.port");
    assertThat(NearestKey.to("bootstrp", KEYS)).isEqualTo("bootstrap");
  }

  @Test
  void shouldSuggestNothingWhenNoKeyIsSimilar() {
    assertThat(NearestKey.to("x", KEYS)).isNull();
    assertThat(NearestKey.to("storage", KEYS)).isNull();
    String tooLong = "k".repeat(200);
    assertThat(NearestKey.to(tooLong + "y", List.of(tooLong))).isNull();
  }

  @Test
  void shouldPreferTheSameNameInAnotherSection() {
    List<String> keys = List.of("sessionConfig.maxInflight", "tenants", "httpConfig.maxConnection");
    assertThat(NearestKey.to("maxInflight", keys)).isEqualTo("sessionConfig.maxInflight");
    assertThat(NearestKey.to("httpConfig.maxInflight", keys))
        .isEqualTo("sessionConfig.maxInflight");
  }

  @Test
  void shouldCountInsertedRemovedAndReplacedLetters() {
    assertThat(NearestKey.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(NearestKey.distance("", "abc")).isEqualTo(3);
  }
}
