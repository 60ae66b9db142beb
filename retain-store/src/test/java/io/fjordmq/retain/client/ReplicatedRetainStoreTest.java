package io.fjordmq.retain.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainKeys;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainScan;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicatedRetainStoreTest {
  private final RetainFixture fixture = new RetainFixture(new RetainSettings(3, 1_000_000));

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void shouldOmitExpiredMessagesImmediatelyAndRemoveThemWhenSwept() {
    fixture.put("t", "brief", "1", fixture.nowMillis() + 1_000);
    fixture.put("t", "long", "2", fixture.nowMillis() + 60_000);
    fixture.advance(Duration.ofSeconds(2));
    assertThat(fixture.match("t", "#", 10)).containsExactly("long=2");
    assertThat(fixture.store().count()).isEqualTo(2);
    fixture.sweep().join();
    assertThat(fixture.store().count()).isEqualTo(1);
    fixture.crash();
    assertThat(fixture.store().count()).isEqualTo(1);
    fixture.advance(Duration.ofSeconds(60));
    fixture.sweep().join();
    assertThat(fixture.store().count()).as("expiry is known again after a crash").isZero();
  }

  @Test
  void shouldNotExpireAMessageThatReplacedAnExpiringOne() {
    fixture.put("t", "a", "1", fixture.nowMillis() + 1_000);
    fixture.put("t", "a", "2");
    fixture.advance(Duration.ofSeconds(2));
    fixture.sweep().join();
    assertThat(fixture.match("t", "a", 10)).containsExactly("a=2");
  }

  @Test
  void shouldRejectNewTopicsButReplaceExistingOnesWhenFull() {
    try (RetainFixture small = new RetainFixture(new RetainSettings(2, 2))) {
      small.put("t", "a", "1");
      small.put("t", "b", "1");
      assertThat(small.put("t", "c", "1")).isEqualTo(RetainStore.PutOutcome.REFUSED_FULL);
      assertThat(small.put("t", "a", "2")).isEqualTo(RetainStore.PutOutcome.RETAINED);
      assertThat(small.put("t", "b", "")).isEqualTo(RetainStore.PutOutcome.CLEARED);
      assertThat(small.put("t", "c", "1")).isEqualTo(RetainStore.PutOutcome.RETAINED);
      assertThat(small.match("t", "#", 10)).containsExactlyInAnyOrder("a=2", "c=1");
    }
  }

  @Test
  void shouldEnforceTheMessageLimitOfEachTenant() {
    try (RetainFixture small = new RetainFixture(new RetainSettings(2, 100), limits(2, 0))) {
      small.put("t", "a", "1");
      small.put("t", "b", "1");
      small.put("other", "b", "1");
      assertThat(small.put("t", "c", "1")).isEqualTo(RetainStore.PutOutcome.REFUSED_FULL);
      assertThat(small.put("other", "c", "1")).isEqualTo(RetainStore.PutOutcome.RETAINED);
      assertThat(small.put("t", "a", "2")).isEqualTo(RetainStore.PutOutcome.RETAINED);
      assertThat(small.rejected).containsExactly("t REFUSED_FULL");
      small.restart();
      assertThat(small.put("t", "c", "1")).isEqualTo(RetainStore.PutOutcome.REFUSED_FULL);
      small.put("t", "b", "");
      assertThat(small.put("t", "c", "1")).isEqualTo(RetainStore.PutOutcome.RETAINED);
    }
  }

  @Test
  void shouldEnforceTheByteLimitOfEachTenant() {
    try (RetainFixture small = new RetainFixture(new RetainSettings(2, 100), limits(0, 1_000))) {
      small.put("t", "a", "x".repeat(400));
      small.put("t", "b", "x".repeat(400));
      assertThat(small.put("t", "c", "x".repeat(400)))
          .isEqualTo(RetainStore.PutOutcome.REFUSED_BYTES);
      assertThat(small.put("t", "a", "x".repeat(900)))
          .isEqualTo(RetainStore.PutOutcome.REFUSED_BYTES);
      small.crash();
      assertThat(small.put("t", "a", "x".repeat(399))).isEqualTo(RetainStore.PutOutcome.RETAINED);
      small.put("t", "a", "");
      assertThat(small.put("t", "c", "x".repeat(400))).isEqualTo(RetainStore.PutOutcome.RETAINED);
      assertThat(small.rejected).containsExactly("t REFUSED_BYTES", "t REFUSED_BYTES");
      assertThat(small.match("t", "#", 10)).hasSize(2);
    }
  }

  private static RetainQuota.Limits limits(long messages, long bytes) {
    return new RetainQuota.Limits(messages, bytes);
  }

  @Test
  void shouldReturnEachOfManyTopicsOnceThroughBoundedPages() {
    int topics = RetainScan.MAX_ROWS + 500;
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < topics; i++) {
      fixture.put("t", "site/" + i + "/x", "v");
      if (i % 1_000 == 0) {
        expected.add("site/" + i + "/x=v");
        fixture.put("t", "site/" + i + "/y", "v");
      }
    }
    assertThat(fixture.match("t", "site/+/y", 100)).hasSize(expected.size());
    assertThat(fixture.match("t", "#", 100))
        .hasSize(topics + expected.size())
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldFindTopicsAfterASplitInsideABucket() {
    byte[] cut = RetainKeys.of("t", "a/m");
    try (RetainFixture split =
        new RetainFixture(new RetainSettings(1, 100), RetainQuota.Limits.NONE, List.of(cut))) {
      split.put("t", "a/b", "1");
      split.put("t", "a/x", "2");
      for (String filter : List.of("a/+", "+/+", "#", "+/x", "a/#")) {
        assertThat(split.match("t", filter, 10)).as(filter).contains("a/x=2");
      }
      assertThat(split.match("t", "#", 1)).containsExactlyInAnyOrder("a/b=1", "a/x=2");
    }
  }

  @Test
  void shouldLimitAPageByBytesButReturnAtLeastOneMessage() {
    fixture.put("t", "a/1", "x".repeat(1_000));
    fixture.put("t", "a/2", "x".repeat(1_000));
    RetainStore.Page page =
        fixture.store().match("t", TopicFilter.parse("a/+"), null, 100, 10).join();
    assertThat(page.messages()).hasSize(1);
    assertThat(page.cursor()).isNotNull();
  }
}
