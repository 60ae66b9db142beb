package io.fjordmq.broker.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.inbox.InboxId;
import io.fjordmq.range.KeyInterval;
import org.junit.jupiter.api.Test;

/** Every session whose entries were skipped refetches its inbox, however many there are. */
class LaggingSessionsTest {
  private static final InboxId FIRST = new InboxId("t", "1");
  private static final InboxId SECOND = new InboxId("t", "2");

  private final LaggingSessions lagging = new LaggingSessions(2);

  @Test
  void shouldReturnEachSessionOnceInOrder() {
    lagging.add(SECOND);
    lagging.add(FIRST);
    lagging.add(SECOND);
    assertThat(lagging.takeItems())
        .containsExactly(new NodeItem.Refetch(SECOND), new NodeItem.Refetch(FIRST));
    assertThat(lagging.takeItems()).isEmpty();
  }

  @Test
  void shouldRefetchAllInboxesAboveTheLimit() {
    lagging.add(FIRST);
    lagging.add(SECOND);
    lagging.add(new InboxId("t", "3"));
    lagging.add(FIRST);
    assertThat(lagging.takeItems()).containsExactly(new NodeItem.LeaderNotice(KeyInterval.ALL));
    lagging.add(FIRST);
    assertThat(lagging.takeItems()).containsExactly(new NodeItem.Refetch(FIRST));
  }
}
