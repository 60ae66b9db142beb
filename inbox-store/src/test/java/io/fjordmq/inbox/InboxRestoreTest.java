package io.fjordmq.inbox;

import static io.fjordmq.inbox.Samples.HANDLE;
import static io.fjordmq.inbox.Samples.ID;
import static io.fjordmq.inbox.Samples.LIMITS;
import static io.fjordmq.inbox.Samples.OPTIONS;
import static io.fjordmq.inbox.Samples.OWNER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.MalformedBytesException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxRestoreTest {
  private static final int BUCKET = ID.bucket();
  private static final long INCARNATION = HANDLE.incarnation();

  private final List<String> subscriptions = new ArrayList<>();
  private final InboxRestore restore =
      new InboxRestore(
          (id, incarnation, subscription) ->
              subscriptions.add(
                  "%s %d %s %s"
                      .formatted(
                          id.clientId(),
                          incarnation,
                          subscription.filter().text(),
                          subscription.options().equals(OPTIONS))));

  private static byte[] state() {
    return new InboxState(
            HANDLE, OWNER, 4, 60, LIMITS, new byte[] {1}, InboxState.NEVER, InboxState.NEVER)
        .encode();
  }

  @Test
  void shouldSkipEpochsAndSequencesThatTheOriginalMayHaveUsed() {
    InboxState state = InboxState.decode(ID, restore.prepare(InboxKeys.state(BUCKET, ID), state()));
    assertThat(state.handle())
        .isEqualTo(new InboxHandle(ID, INCARNATION, HANDLE.epoch() + InboxRestore.GAP));
    assertThat(state.owner()).isEqualTo(OWNER);
    assertThat(state.will()).containsExactly(1);
    assertThat(restore.sessions()).isEqualTo(1);

    InboxCursor cursor = new InboxCursor();
    cursor.nextPublish = 7;
    cursor.next = 9;
    byte[] row = restore.prepare(InboxKeys.cursor(BUCKET, INCARNATION), cursor.encode());
    assertThat(InboxCursor.decode(row).nextPublish).isEqualTo(7 + InboxRestore.GAP);
    assertThat(InboxCursor.decode(row).next).isEqualTo(9);
  }

  @Test
  void shouldFindTheSubscriptionsOfExistingSessionsOnly() {
    restore.prepare(InboxKeys.state(BUCKET, ID), state());
    byte[] row = SubscriptionRow.encode(OPTIONS);
    byte[] key = InboxKeys.subscription(BUCKET, INCARNATION, "$share/g/a/+");
    assertThat(restore.prepare(key, row)).isSameAs(row);
    restore.prepare(InboxKeys.subscription(BUCKET, INCARNATION + 1, "ended"), row);
    restore.prepare(InboxKeys.subscription(BUCKET + 1, INCARNATION, "other bucket"), row);
    assertThat(subscriptions).containsExactly("c1 %d $share/g/a/+ true".formatted(INCARNATION));
    assertThat(TopicFilter.parse("$share/g/a/+").isShared()).isTrue();
  }

  @Test
  void shouldKeepOtherRows() {
    byte[] row = {1, 2, 3};
    for (byte[] key :
        List.of(
            InboxKeys.dueSession(BUCKET, 5, ID),
            InboxKeys.will(BUCKET, INCARNATION, 3),
            InboxKeys.entry(BUCKET, INCARNATION, 1),
            InboxKeys.received(BUCKET, INCARNATION, 1),
            InboxKeys.producer(BUCKET, INCARNATION, 1))) {
      assertThat(restore.prepare(key, row)).isSameAs(row);
    }
  }

  @Test
  void shouldRefuseRowsOfANewerVersion() {
    assertThatThrownBy(() -> restore.prepare(InboxKeys.state(BUCKET, ID), new byte[] {99}))
        .isInstanceOf(MalformedBytesException.class);
  }
}
