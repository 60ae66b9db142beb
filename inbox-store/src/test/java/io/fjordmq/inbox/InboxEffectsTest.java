package io.fjordmq.inbox;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.client.RecordingListener;
import io.fjordmq.inbox.client.TestInboxes;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxEffectsTest {
  private static final RangeId RANGE = new RangeId("inbox", 1);
  private static final InboxHandle ONE = new InboxHandle(ID, 1, 1);
  private static final InboxHandle TWO = new InboxHandle(new InboxId("t", "c2"), 1, 1);

  private final List<String> dropped = new ArrayList<>();
  private final RecordingListener listener = new RecordingListener();
  private final InboxEffects effects =
      new InboxEffects(
          listener,
          new InboxObserver() {
            @Override
            public void onDropped(String reason, long count) {
              dropped.add(reason + " " + count);
            }
          },
          range -> KeyInterval.ALL);

  private final LazyMessage message =
      new LazyMessage(
          ByteBuffer.wrap(
              MessageCodec.encode(
                  new Message(
                      new Topic("a"),
                      new byte[] {1},
                      Qos.AT_LEAST_ONCE,
                      false,
                      MessageProperties.NONE,
                      "",
                      1,
                      Message.NEVER))));

  private InboxEffect appended(InboxHandle handle, long sequence) {
    return new InboxEffect.Appended("n1", handle, sequence, TestInboxes.target(handle), message);
  }

  private List<String> pushed() {
    return listener.appendedCalls.stream()
        .map(
            call ->
                call.handle().id().clientId()
                    + call.entries().stream().map(InboxEntry::sequence).toList())
        .toList();
  }

  @Test
  void shouldPassEntriesOfOneInboxTogether() {
    effects.onEffects(
        RANGE, List.of(appended(ONE, 1), appended(TWO, 1), appended(ONE, 2), appended(ONE, 3)));
    assertThat(pushed()).containsExactly("c[1, 2, 3]", "c2[1]");
    assertThat(listener.appendsCompleted).isEqualTo(1);
    assertThat(listener.appendedCalls)
        .flatExtracting(RecordingListener.AppendedCall::entries)
        .extracting(InboxEntry::message)
        .containsOnly(message.get());
  }

  @Test
  void shouldNotMoveEntriesAcrossAFence() {
    InboxHandle next = new InboxHandle(ID, 1, 2);
    effects.onEffects(
        RANGE, List.of(appended(ONE, 1), new InboxEffect.Fenced("n1", ONE), appended(next, 2)));
    assertThat(pushed()).containsExactly("c[1]", "c[2]");
    assertThat(listener.fencedHandles).containsExactly(ONE);
  }

  @Test
  void shouldCountDropsOnTheLeader() {
    effects.onEffects(RANGE, List.of(new InboxEffect.Dropped(ID, DropReasons.EXPIRED, 3)));
    assertThat(dropped).containsExactly("expired 3");
    assertThat(listener.drops).containsExactly("c expired 3");
  }

  @Test
  void shouldReportExpiredSessionsBeforeTheirEnd() {
    effects.onEffects(
        RANGE,
        List.of(
            new InboxEffect.SessionEnded(ID, 1, List.of(), false),
            new InboxEffect.SessionEnded(ID, 2, List.of(), true)));
    assertThat(listener.expiredIds).containsExactly(ID);
  }
}
