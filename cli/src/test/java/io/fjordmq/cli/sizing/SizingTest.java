package io.fjordmq.cli.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SizingTest {
  private static final NodeSize NODE = new NodeSize(8, 32e9, 200e9, 1.25e9);
  private static final double UTILIZATION = 0.6;

  @Test
  void shouldRunASmallFleetWithOneVoterOnOneNode() {
    ClusterSize size = sizing(fleet(1_000, 100, 1)).smallest().orElseThrow();

    assertThat(size.nodes()).isEqualTo(1);
    assertThat(size.spare()).isZero();
    assertThat(size.need().cores()).isLessThan(0.5);
  }

  @Test
  void shouldNotUseFewerNodesThanVoters() {
    assertThat(sizing(fleet(1_000, 100, 3)).smallest().orElseThrow().nodes()).isEqualTo(3);
    assertThat(sizing(fleet(1_000, 100, 5)).smallest().orElseThrow().nodes()).isEqualTo(5);
  }

  @Test
  void shouldCarryTheWorkloadWhileOneNodeIsDown() {
    Workload work = fleet(300_000, 0, 3);
    ClusterSize size = sizing(work).of(4);

    assertThat(size.spare()).isEqualTo(1);
    assertThat(size.need()).isEqualTo(new Demand(work, 3).perNode());
  }

  @Test
  void shouldNeedMoreNodesForMoreMessages() {
    int few = sizing(fleet(10_000, 10_000, 3)).smallest().orElseThrow().nodes();
    int many = sizing(fleet(10_000, 200_000, 3)).smallest().orElseThrow().nodes();

    assertThat(many).isGreaterThan(few);
  }

  @Test
  void shouldCountRoutesOnEveryNode() {
    double three = sizing(fleet(3_000_000, 0, 3)).of(3).need().memoryBytes();
    double twenty = sizing(fleet(3_000_000, 0, 3)).of(20).need().memoryBytes();

    assertThat(twenty).isLessThan(three).isGreaterThan(3_000_000 * UnitCost.ROUTE.value());
  }

  @Test
  void shouldNameTheLimitThatMoreNodesDoNotRaise() {
    Workload reconnects =
        new Workload(1_000_000, 0, 0, 0, 200_000, LoginCost.NONE, 0, 1, 0, 0, 0, 0, 0, 0, 3);

    assertThat(sizing(reconnects).smallest()).isEmpty();
    assertThat(sizing(reconnects).of(Sizing.MAX_NODES).limits().get(0).name())
        .isEqualTo("changes of routes");
  }

  @Test
  void shouldComputeHowFarAClusterGrows() {
    Sizing sizing = sizing(fleet(100_000, 5_000, 3));
    double growth = sizing.growth(5);

    assertThat(new Sizing(sizing.work().times(growth * 0.99), NODE, UTILIZATION).of(5).fits())
        .isTrue();
    assertThat(new Sizing(sizing.work().times(growth * 1.01), NODE, UTILIZATION).of(5).fits())
        .isFalse();
  }

  @Test
  void shouldInterpolateCostsBetweenMeasuredRates() {
    assertThat(RateCost.THREE_VOTERS.micros(1_000)).isEqualTo(343);
    assertThat(RateCost.THREE_VOTERS.micros(1_732)).isCloseTo(231, within(1.0));
    assertThat(RateCost.THREE_VOTERS.micros(1)).isEqualTo(1_393);
    assertThat(RateCost.THREE_VOTERS.micros(1e6)).isEqualTo(69);
  }

  @Test
  void shouldRejectValuesOutOfRange() {
    assertThatThrownBy(() -> fleet(-1, 0, 3)).hasMessage("clients cannot be -1");
    assertThatThrownBy(() -> fleet(1, 0, 2)).hasMessage("voters cannot be 2");
    assertThatThrownBy(() -> new Sizing(fleet(1, 0, 1), NODE, 0))
        .hasMessageContaining("utilization must be above 0");
  }

  @Test
  void shouldUseTheUnitCostsOfTheDocumentation() throws IOException {
    String page = Files.readString(root().resolve("docs/SIZING.md"));

    for (UnitCost cost : UnitCost.values()) {
      String unit = cost.unit() == UnitCost.Unit.MICROSECONDS ? " µs" : " B";
      assertThat(page).contains("| " + cost.subject() + " | " + number(cost.value()) + unit + " |");
    }
    for (RateCost cost : RateCost.values()) {
      assertThat(page).contains("| " + cost.points() + " |");
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.1f", value);
  }

  private static Path root() {
    Path start = Path.of("").toAbsolutePath();
    return Stream.iterate(start, Objects::nonNull, Path::getParent)
        .filter(
            folder ->
                List.of("docs", "cli").stream()
                    .allMatch(it -> Files.isDirectory(folder.resolve(it))))
        .findFirst()
        .orElseThrow();
  }

  private static Sizing sizing(Workload work) {
    return new Sizing(work, NODE, UTILIZATION);
  }

  /** Persistent sessions with one subscription each. */
  private static Workload fleet(long clients, double publishes, int voters) {
    return new Workload(
        clients,
        0,
        1,
        0,
        clients / 1_000.0,
        LoginCost.NONE,
        60,
        1,
        publishes,
        publishes,
        1,
        256,
        0,
        0,
        voters);
  }
}
