package io.fjordmq.broker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sequence of faults of a run contains every kind, and each can be repaired. */
class FaultTest {
  private static final int ROUNDS = 500;

  private static <T extends Fault> Stream<T> all(Class<T> kind, int nodes) {
    return Fault.sequence(1, nodes, ROUNDS).stream().filter(kind::isInstance).map(kind::cast);
  }

  private static Set<String> kinds(int nodes) {
    return Fault.sequence(1, nodes, 1).stream()
        .map(fault -> fault.getClass().getSimpleName())
        .collect(Collectors.toSet());
  }

  @Test
  void shouldProduceTheSameSequenceForTheSameSeed() {
    assertThat(Fault.sequence(7, 5, 9)).isEqualTo(Fault.sequence(7, 5, 9));
    assertThat(Fault.sequence(7, 5, 9)).isNotEqualTo(Fault.sequence(8, 5, 9));
  }

  @Test
  void shouldContainEveryKindInEachRound() {
    assertThat(kinds(5)).isEqualTo(Fault.kinds());
  }

  @Test
  void shouldStopTwoNodesOnlyIfTheOthersAreAMajority() {
    assertThat(kinds(3)).doesNotContain("TwoDown");
    assertThat(all(Fault.TwoDown.class, 5))
        .allSatisfy(two -> assertThat(two.first()).isNotEqualTo(two.second()))
        .anySatisfy(two -> assertThat(two.apartMillis()).isZero())
        .anySatisfy(two -> assertThat(two.apartMillis()).isPositive());
  }

  @Test
  void shouldCombineEveryKillWithEveryDiskFault() {
    List<Fault.ThreeAtOnce> all = all(Fault.ThreeAtOnce.class, 3).toList();
    assertThat(all)
        .allSatisfy(
            three ->
                assertThat(three.kill()).isInstanceOfAny(Fault.Killed.class, Fault.PowerCut.class))
        .anySatisfy(three -> assertThat(three.nodes()).hasSize(1))
        .anySatisfy(three -> assertThat(three.nodes()).hasSize(3))
        .anySatisfy(
            three -> assertThat(three.kill()).isEqualTo(new Fault.Killed(three.slow().node())))
        .anySatisfy(
            three -> assertThat(three.kill()).isEqualTo(new Fault.PowerCut(three.full().node())));
  }

  @Test
  void shouldNotCutThePowerOfAStalledDisk() {
    Fault.DiskFull full = new Fault.DiskFull(1, 9);
    Fault.DiskSlow slow = new Fault.DiskSlow(2, 9);
    assertThatThrownBy(() -> new Fault.ThreeAtOnce(full, slow, new Fault.PowerCut(2)))
        .hasMessageContaining("PowerCut[node=2]");
  }

  @Test
  void shouldRejectKindsThatWouldInjectNothing() {
    assertThat(Chaos.unusableReason(Set.of("all"), 3)).isEmpty();
    assertThat(Chaos.unusableReason(Fault.kinds(), 5)).isEmpty();
    assertThat(Chaos.unusableReason(Set.of("Killed", "Kiled"), 3))
        .isEqualTo("unknown kinds of faults: Kiled");
    assertThat(Chaos.unusableReason(Set.of("TwoDown"), 3))
        .isEqualTo("TwoDown requires CHAOS_NODES=5");
  }

  @Test
  void shouldBeListedInTheHelpOfTheScript() throws Exception {
    String help = Files.readString(Path.of("../bin/chaos.sh"));
    assertThat(Fault.kinds()).allSatisfy(kind -> assertThat(help).contains("\n#   " + kind + " "));
  }
}
