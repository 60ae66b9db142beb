package io.fjordmq.inbox.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.AttachmentCodec;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.sim.LocalRanges;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Goal: many sessions with many filters reconnect at once, and no node gets too much data at once.
 */
class LargeAttachmentsTest {
  private static final int SESSIONS = 128;
  private static final String LONG_LEVEL = "/" + "x".repeat(50_000);
  private static final SubscriptionOptions OPTIONS =
      new SubscriptionOptions(Qos.EXACTLY_ONCE, true, true, RetainHandling.SEND_NEVER, 268_435_455);

  /** Delays results, so that commands accumulate in the meantime; records the largest responses. */
  private static final class SlowTransport implements RangeTransport {
    private final RangeTransport ranges;
    private final Queue<Runnable> pendingReplies = new ArrayDeque<>();
    private long largestResponseBytes;
    private int batches;

    SlowTransport(RangeTransport ranges) {
      this.ranges = ranges;
    }

    @Override
    public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
      ranges.propose(
          node,
          range,
          entry,
          result -> {
            if (result instanceof RangeResult.Applied applied) {
              long bytes =
                  applied.responses().stream().mapToLong(response -> response.length).sum();
              largestResponseBytes = Math.max(largestResponseBytes, bytes);
              batches++;
            }
            pendingReplies.add(() -> reply.accept(result));
          });
    }

    @Override
    public void query(
        NodeId node,
        RangeId range,
        long epochVersion,
        long minIndex,
        byte[] query,
        Consumer<RangeResult> reply) {
      ranges.query(node, range, epochVersion, minIndex, query, reply);
    }

    /** Sends results until nothing is in flight or waiting to be batched. */
    void sendResults(LocalRanges time) {
      time.advance(RangeClientSettings.DEFAULTS.batchInterval());
      while (!pendingReplies.isEmpty()) {
        pendingReplies.remove().run();
        if (pendingReplies.isEmpty()) {
          time.advance(RangeClientSettings.DEFAULTS.batchInterval());
        }
      }
    }
  }

  private static InboxId id(int session) {
    return new InboxId("t", "c" + session);
  }

  private static List<CompletableFuture<Attachment>> attachAll(InboxStore store) {
    List<CompletableFuture<Attachment>> attached = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      attached.add(store.attach(id(i), new AttachRequest(false, "n1", 1, 3_600, null)));
    }
    return attached;
  }

  @Test
  void shouldNotReturnManyLargeAttachmentsInOneBatch() {
    InboxSettings settings = TestInboxes.settings(InboxLimits.DEFAULT);
    InboxReplicas replicas =
        new InboxReplicas(settings, new RecordingListener(), InboxObserver.NONE);
    try (LocalRanges ranges = LocalRanges.of(replicas.spec())) {
      SlowTransport transport = new SlowTransport(ranges.store().transport());
      RoutedRangeClient client =
          new RoutedRangeClient(
              InboxReplicas.STORE,
              ranges.store().descriptors(InboxReplicas.STORE),
              transport,
              ranges.timers(),
              RangeClientSettings.DEFAULTS,
              RangeObserver.NONE);
      ReplicatedInboxStore store =
          new ReplicatedInboxStore(
              client,
              replicas,
              range -> true,
              settings,
              ranges.timers(),
              ranges.timers(),
              InboxObserver.NONE);
      List<CompletableFuture<Attachment>> first = attachAll(store);
      transport.sendResults(ranges);
      int small = transport.batches;
      assertThat(small).as("batches of small sessions").isLessThan(SESSIONS / 4);
      for (CompletableFuture<Attachment> made : first) {
        store.subscribe(made.join().handle(), TopicFilter.parse("a" + LONG_LEVEL), OPTIONS);
        store.subscribe(made.join().handle(), TopicFilter.parse("b" + LONG_LEVEL), OPTIONS);
        transport.sendResults(ranges);
      }

      List<CompletableFuture<Attachment>> again = attachAll(store);
      transport.sendResults(ranges);
      int response = 2 * LONG_LEVEL.length() + 1_000;
      assertThat(transport.largestResponseBytes)
          .isBetween(
              (long) response,
              (long) RangeClientSettings.DEFAULTS.maxBatchResponseBytes() + response);
      for (int i = 0; i < SESSIONS; i++) {
        assertThat(again.get(i).join().handle().id()).isEqualTo(id(i));
        assertThat(again.get(i).join().subscriptions()).hasSize(2);
      }
      store.close();
    }
  }

  @Test
  void shouldNotExceedTheDocumentedMaximumSize() {
    TopicFilter filter = TopicFilter.parse("a" + LONG_LEVEL);
    InboxSubscription subscription = new InboxSubscription(filter, OPTIONS);
    long most = Long.MAX_VALUE;
    String longest = "n".repeat(65_535);
    Attachment attachment =
        new Attachment(
            new InboxHandle(new InboxId(longest, longest), most, most),
            true,
            List.of(subscription, subscription),
            null,
            most,
            most,
            most,
            Collections.nCopies(65_535, most),
            Collections.nCopies(Attachment.MAX_ACKNOWLEDGED, most),
            Collections.nCopies(65_535, new Attachment.ReceivedPublish(65_535, most)),
            most,
            new ConnectOrder(most, most));
    int subscriptions = 2 * (filter.text().length() + InboxSubscription.BYTES_BESIDE_FILTER);
    assertThat(AttachmentCodec.encode(attachment).length)
        .isLessThan(subscriptions + Attachment.BYTES_BESIDE_SUBSCRIPTIONS);
  }
}
