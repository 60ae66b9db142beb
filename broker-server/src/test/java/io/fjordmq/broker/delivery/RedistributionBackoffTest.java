package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a message that no member accepts is retried at least every 5 minutes. */
class RedistributionBackoffTest {
  private final RedistributionBackoff<String> backoff = new RedistributionBackoff<>(2);

  private int announcementsUntilOver(String session) {
    int announcements = 1;
    while (!backoff.recordAnnouncement(session)) {
      announcements++;
    }
    return announcements;
  }

  @Test
  void shouldDoubleUpToThirtyAnnouncementsAndReset() {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      backoff.increase("s");
      found.add(announcementsUntilOver("s"));
    }
    assertThat(found).containsExactly(1, 2, 4, 8, 16, 30, 30);
    backoff.forget("s");
    assertThat(backoff.size()).isZero();
    assertThat(announcementsUntilOver("s")).isEqualTo(1);
  }

  @Test
  void shouldForgetTheLeastRecentlyAnnouncedSession() {
    for (String session : List.of("a", "b", "a", "b")) {
      backoff.increase(session);
    }
    backoff.recordAnnouncement("a");
    backoff.increase("c");
    assertThat(backoff.size()).isEqualTo(2);
    assertThat(backoff.recordAnnouncement("b")).as("forgotten").isTrue();
  }
}
