package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.scenario.Cluster;
import io.fjordmq.perf.scenario.NodeLimits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Notes about node limits, on hosts with more or fewer resources than the limits. */
class HostResourcesTest {
  private static final NodeLimits TWO = new NodeLimits(2, 1.5);

  private static List<String> notes(int processors, double gibibytes, NodeLimits limits) {
    return new HostResources(processors, gibibytes).notes(TWO, new Cluster(3, 0, false, limits));
  }

  @Test
  void shouldNoteTheLimitsInEffect() {
    assertThat(notes(16, 64, TWO))
        .containsExactly(
            "each node is limited to 2 processors and 1.5 GiB, regardless of the scale");
    assertThat(notes(16, 64, NodeLimits.NONE))
        .containsExactly("omitted: the limit of 2 processors and 1.5 GiB per node");
    assertThat(
            new HostResources(1, 1)
                .notes(NodeLimits.NONE, new Cluster(3, 0, false, NodeLimits.NONE)))
        .isEmpty();
  }

  @Test
  void shouldNoteLimitsAboveTheResourcesOfTheHost() {
    assertThat(notes(1, 64, TWO)).hasSize(2).last().asString().contains("exceed", "1 and 64.0 GiB");
    assertThat(notes(16, 1, TWO)).hasSize(2).last().asString().contains("exceed", "16 and 1.0 GiB");
    assertThat(notes(4, 64, TWO)).hasSize(2).last().asString().contains("3 nodes", "4 and 64.0");
    assertThat(notes(6, 4, TWO)).hasSize(2).last().asString().contains("3 nodes", "6 and 4.0 GiB");
    assertThat(notes(6, 4.5, TWO)).hasSize(1);
  }
}
