package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.InboxId;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every hand-made shape has the same load in each of its ranges. */
class EvenClientIdsTest {
  @Test
  void shouldGiveEachPartOfTheStoreAsMany() {
    List<String> names = EvenClientIds.of("s", 160, 16);
    assertThat(names).doesNotHaveDuplicates().hasSize(160);
    for (int parts : List.of(1, 2, 4, 8, 16)) {
      var counts =
          names.stream()
              .map(name -> new InboxId("", name).bucket() * parts / InboxId.BUCKETS)
              .collect(Collectors.groupingBy(part -> part, Collectors.counting()));
      assertThat(counts)
          .hasSize(parts)
          .allSatisfy((part, n) -> assertThat(n).isEqualTo(160 / parts));
    }
  }

  @Test
  void shouldRefuseWhatCannotBeEven() {
    assertThatThrownBy(() -> EvenClientIds.of("s", 10, 16)).hasMessageContaining("10", "16");
  }
}
