package io.fjordmq.retain.client;

import static io.fjordmq.retain.RetainStore.PutOutcome.CLEARED;
import static io.fjordmq.retain.RetainStore.PutOutcome.REFUSED_FULL;
import static io.fjordmq.retain.RetainStore.PutOutcome.RETAINED;
import static io.fjordmq.retain.RetainStore.PutOutcome.SUPERSEDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.retain.RetainRows;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a delayed message of an earlier connection of a publisher does not replace anything. */
class LateMessagesTest {
  private static final RetainVersion FIRST = new RetainVersion(2, 900);
  private static final RetainVersion SECOND = new RetainVersion(3, 12);

  private final RetainFixture fixture = new RetainFixture(new RetainSettings(1, 2));

  @AfterEach
  void close() {
    fixture.close();
  }

  private RetainStore.PutOutcome put(RetainVersion retainVersion, String topic, String payload) {
    return fixture.put("lamp", retainVersion, "t", topic, payload, Message.NEVER);
  }

  @Test
  void shouldNotReplaceAMessageOfALaterConnection() {
    assertThat(put(SECOND, "a", "on")).isEqualTo(RETAINED);
    assertThat(put(FIRST, "a", "off")).isEqualTo(SUPERSEDED);
    fixture.crash();
    assertThat(put(FIRST, "a", "")).isEqualTo(SUPERSEDED);
    assertThat(fixture.match("t", "#", 10)).containsExactly("a=on");
    assertThat(put(SECOND, "a", "off")).isEqualTo(RETAINED);
    assertThat(fixture.match("t", "#", 10)).containsExactly("a=off");
  }

  @Test
  void shouldNotReappearAfterALaterConnectionCleared() {
    assertThat(put(SECOND, "a", "")).as("there was no message").isEqualTo(CLEARED);
    assertThat(put(FIRST, "a", "on")).isEqualTo(SUPERSEDED);
    fixture.restart();
    assertThat(put(FIRST, "a", "on")).isEqualTo(SUPERSEDED);
    assertThat(fixture.match("t", "#", 10)).isEmpty();
    assertThat(put(SECOND, "a", "on")).isEqualTo(RETAINED);
    assertThat(fixture.match("t", "#", 10)).containsExactly("a=on");
    assertThat(fixture.store().count()).isEqualTo(1);
  }

  @Test
  void shouldNotReappearAfterALaterMessageExpired() {
    fixture.put("lamp", SECOND, "t", "a", "brief", fixture.nowMillis() + 1_000);
    fixture.advance(Duration.ofSeconds(2));
    fixture.sweep().join();
    assertThat(fixture.store().count()).isZero();
    assertThat(put(FIRST, "a", "on")).isEqualTo(SUPERSEDED);
  }

  @Test
  void shouldForgetClearedTopicsAfterAWhile() {
    put(SECOND, "a", "on");
    put(SECOND, "a", "");
    fixture.advance(Duration.ofMillis(RetainRows.CLEAR_MARKER_MILLIS - 1));
    fixture.sweep().join();
    assertThat(put(FIRST, "a", "on")).isEqualTo(SUPERSEDED);
    fixture.crash();
    fixture.advance(Duration.ofMillis(1));
    fixture.sweep().join();
    assertThat(put(FIRST, "a", "on")).as("no message is delayed that long").isEqualTo(RETAINED);
  }

  @Test
  void shouldApplyMessagesOfOtherPublishersInArrivalOrder() {
    put(SECOND, "a", "on");
    assertThat(fixture.put("switch", FIRST, "t", "a", "off", Message.NEVER)).isEqualTo(RETAINED);
    put(SECOND, "a", "");
    assertThat(fixture.put("switch", FIRST, "t", "a", "off", Message.NEVER)).isEqualTo(RETAINED);
    assertThat(put(RetainVersion.NONE, "a", "dim")).as("without a connection").isEqualTo(RETAINED);
    assertThat(fixture.match("t", "#", 10)).containsExactly("a=dim");
  }

  @Test
  void shouldNotCountClearMarkersAsRetained() {
    for (int i = 0; i < 10; i++) {
      put(SECOND, "gone/" + i, "");
    }
    assertThat(put(SECOND, "gone/0", "1")).isEqualTo(RETAINED);
    assertThat(put(SECOND, "gone/1", "1")).isEqualTo(RETAINED);
    assertThat(put(SECOND, "gone/2", "1")).isEqualTo(REFUSED_FULL);
    assertThat(fixture.match("t", "#", 1)).hasSize(2);
  }

  @Test
  void shouldForgetTheOldestOfTooManyClearedTopics() {
    for (int i = 0; i <= RetainRows.MAX_CLEAR_MARKERS; i++) {
      if (i == 1) {
        fixture.advance(Duration.ofMillis(1));
      }
      put(SECOND, "gone/" + i, "");
    }
    assertThat(put(FIRST, "gone/1", "1")).isEqualTo(SUPERSEDED);
    assertThat(put(FIRST, "gone/0", "1")).isEqualTo(RETAINED);
  }
}
