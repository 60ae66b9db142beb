package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what nobody takes is tried every 5 minutes at least, and costs bounded memory. */
class RedistributionBackoffTest {
  private final RedistributionBackoff<String> pauses = new RedistributionBackoff<>(2);

  private int announcementsUntilOver(String session) {
    int announcements = 1;
    while (!pauses.isOver(session)) {
      announcements++;
    }
    return announcements;
  }

  @Test
  void shouldDoubleUpToThirtyAnnouncementsAndBeginAnew() {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      pauses.grow("s");
      found.add(announcementsUntilOver("s"));
    }
    assertThat(found).containsExactly(1, 2, 4, 8, 16, 30, 30);
    pauses.forget("s");
    assertThat(pauses.size()).isZero();
    assertThat(announcementsUntilOver("s")).isEqualTo(1);
  }

  @Test
  void shouldForgetTheSessionLongestNotAnnounced() {
    for (String session : List.of("a", "b", "a", "b")) {
      pauses.grow(session);
    }
    pauses.isOver("a");
    pauses.grow("c");
    assertThat(pauses.size()).isEqualTo(2);
    assertThat(pauses.isOver("b")).as("forgotten").isTrue();
  }
}
