package io.fjordmq.inbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxBoundException;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.SessionUser;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: an inbox that is bound to a user belongs to no other user until its session has ended. */
class BoundInboxTest {
  private static final InboxId ID = new InboxId("t", "c");

  private final TestInboxes inboxes = new TestInboxes(InboxSettings.DEFAULT);

  private Attachment attach(String user, boolean cleanStart, long expirySeconds) {
    return attach(new SessionUser(user, true), cleanStart, expirySeconds);
  }

  private Attachment attach(@Nullable SessionUser user, boolean cleanStart, long expirySeconds) {
    return inboxes
        .store()
        .attach(
            ID,
            new AttachRequest(
                cleanStart, "n1", TestInboxes.INCARNATION, expirySeconds, null, null, user))
        .join();
  }

  private Attachment attachAsAny(String user, boolean cleanStart, long expirySeconds) {
    return attach(new SessionUser(user, false), cleanStart, expirySeconds);
  }

  private void assertRefused(String user) {
    for (boolean cleanStart : new boolean[] {false, true}) {
      assertThatThrownBy(() -> attach(user, cleanStart, 100))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(InboxBoundException.class);
    }
  }

  @Test
  void shouldRejectOtherUsersWhetherAttachedOrDetached() {
    Attachment mine = attach("alice", false, 100);
    assertRefused("bob");
    assertThat(inboxes.listener.fencedHandles).isEmpty();
    inboxes.store().detach(mine.handle(), 1, 100, false).join();
    assertRefused("bob");
    assertThat(attach("alice", false, 100).sessionPresent()).isTrue();
  }

  @Test
  void shouldBeFreeForAnyUserAfterItHasEnded() {
    Attachment mine = attach("alice", true, 0);
    assertRefused("bob");
    inboxes.store().detach(mine.handle(), 1, 0, false).join();
    assertThat(attach("bob", false, 100).sessionPresent()).isFalse();
    assertRefused("alice");
  }

  @Test
  void shouldBindAnUnboundInboxToTheFirstUser() {
    attach((SessionUser) null, false, 100);
    assertThat(attach("alice", false, 100).sessionPresent()).isTrue();
    assertRefused("bob");
    assertThat(attach((SessionUser) null, false, 100).sessionPresent()).isTrue();
    assertThat(attach("bob", false, 100).sessionPresent()).isTrue();
  }

  @Test
  void shouldTreatOtherUsersAsGuestsIfItsUserIsNotExclusive() {
    Attachment mine = attachAsAny("alice", false, 100);
    assertThat(mine.guest()).isFalse();
    inboxes.store().detach(mine.handle(), 1, 100, false).join();

    Attachment guest = attachAsAny("bob", false, 1);
    assertThat(guest.sessionPresent()).isTrue();
    assertThat(guest.guest()).isTrue();
    inboxes.store().detach(guest.handle(), 1, 0, false).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(99));

    Attachment again = attachAsAny("alice", false, 100);
    assertThat(again.sessionPresent()).isTrue();
    assertThat(again.guest()).isFalse();
    assertThat(again.handle().incarnation()).isEqualTo(mine.handle().incarnation());
  }

  @Test
  void shouldAllowADiscardByAnyUserIfItsUserIsNotExclusive() {
    attachAsAny("alice", false, 100);
    assertThat(attachAsAny("bob", true, 100).guest()).isFalse();
    assertThat(attachAsAny("alice", false, 100).guest()).isTrue();
  }

  @Test
  void shouldPassToTheFirstExclusiveUserIfItsUserIsNotExclusive() {
    attachAsAny("alice", false, 100);
    assertThat(attach("bob", false, 100).guest()).isFalse();
    assertRefused("alice");
  }

  @Test
  void shouldPassToAnExclusiveUserAfterAGuest() {
    attach("alice", false, 100);
    assertThat(attachAsAny("bob", false, 100).guest()).isTrue();
    assertThat(attach("bob", false, 100).guest()).isFalse();
    assertRefused("alice");
  }
}
