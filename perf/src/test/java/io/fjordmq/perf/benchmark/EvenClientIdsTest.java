package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.InboxId;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** With any fixed number of ranges, every range gets the same number of clients. */
class EvenClientIdsTest {
  @Test
  void shouldDistributeIdentifiersEvenlyAcrossRanges() {
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
  void shouldRejectCountsThatCannotBeEven() {
    assertThatThrownBy(() -> EvenClientIds.of("s", 10, 16)).hasMessageContaining("10", "16");
  }
}
