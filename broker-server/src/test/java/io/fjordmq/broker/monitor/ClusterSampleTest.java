package io.fjordmq.broker.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The values of several nodes become those of the cluster. */
class ClusterSampleTest {
  private static Sample sample(int seconds, long connections, long topics) {
    return Sample.at(seconds * 1_000L)
        .set(Series.CONNECTIONS, connections)
        .set(Series.TOPICS, topics)
        .build();
  }

  @Test
  void shouldAddUpTheSamplesOfTheSameTime() {
    List<ClusterSample> merged =
        ClusterSample.merge(
            List.of(
                List.of(sample(10, 1, 7), sample(20, 2, 7), sample(30, 3, 8)),
                List.of(sample(20, 10, 7), sample(30, 20, 7)),
                List.of()));
    assertThat(merged)
        .containsExactly(
            new ClusterSample(sample(10, 1, 7), 1),
            new ClusterSample(sample(20, 12, 7), 2),
            new ClusterSample(sample(30, 23, 8), 2));
  }

  @Test
  void shouldOmitTimesThatANodeHasNotSampledYet() {
    List<ClusterSample> merged =
        ClusterSample.merge(
            List.of(List.of(sample(10, 1, 1), sample(20, 1, 1)), List.of(sample(10, 1, 1))));
    assertThat(merged).extracting(one -> one.sample().timeMillis()).containsExactly(10_000L);
    assertThat(ClusterSample.merge(List.of())).isEmpty();
  }

  @Test
  void shouldTreatUnknownValuesAsMissing() {
    Sample unknown = Sample.at(10_000).build();
    assertThat(unknown.plus(sample(10, 4, 5))).isEqualTo(sample(10, 4, 5));
  }

  @Test
  void shouldDocumentEverySeries() throws IOException {
    String document = Files.readString(Path.of("../docs/API.md"));
    for (Series series : Series.values()) {
      assertThat(document).contains("`" + series.label() + "`");
      assertThat(document)
          .contains("`" + (series.rateLabel() == null ? series.label() : series.rateLabel()) + "`");
    }
  }

  @Test
  void shouldMergeCurrentValues() {
    assertThat(
            MonitorQueries.merge(
                List.of(
                    Map.of("connections", 1L, "topics", 3L, "received_msg_rate", 5L),
                    Map.of("connections", 2L, "topics", 4L, "received_msg_rate", 6L))))
        .isEqualTo(Map.of("connections", 3L, "topics", 4L, "received_msg_rate", 11L));
  }
}
