package io.fjordmq.perf.micro;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.InboxEventRelay;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.client.ReplicatedInboxStore;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One copy of a message of 256 bytes into the inbox of a connected session, without the log:
 * encoded, sent to its range, applied, written to RocksDB, and the session notified. A thousand
 * copies are sent together, of as many messages or of one. They are acknowledged between the
 * rounds, outside the measurement.
 */
@State(Scope.Benchmark)
public class InboxAppend {
  private static final int COPIES = 1_000;
  private static final int PAYLOAD_BYTES = 256;

  /** Inboxes per message; divides a thousand. */
  @Param({"1", "1000"})
  int targets;

  private final List<InboxHandle> handles = new ArrayList<>();
  private final List<List<InboxTarget>> receivers = new ArrayList<>();
  private final List<CompletableFuture<List<InsertOutcome>>> calls = new ArrayList<>();
  private Message message;
  private LocalStore store;
  private ReplicatedInboxStore inboxes;
  private long nextSequence;

  @Setup
  public void start() throws IOException {
    InboxSettings settings = settings(InboxSettings.DEFAULT);
    InboxEventRelay noClients = new InboxEventRelay(DeliveryObserver.NONE);
    InboxReplicas replicas = new InboxReplicas(settings, noClients, InboxObserver.NONE);
    store = LocalStore.applyingInBatches(replicas.spec());
    inboxes =
        new ReplicatedInboxStore(
            store.client(),
            replicas,
            range -> true,
            settings,
            store.timers(),
            InstantSource.system(),
            InboxObserver.NONE);
    message =
        new Message(
            new Topic("site/12/device-345/temperature"),
            new byte[PAYLOAD_BYTES],
            Qos.AT_LEAST_ONCE,
            false,
            MessageProperties.NONE,
            "publisher",
            InstantSource.system().millis(),
            Message.NEVER);
    AttachRequest request =
        new AttachRequest(false, LocalStore.SELF.value(), 1, AttachRequest.NEVER_EXPIRES, null);
    List<CompletableFuture<Attachment>> attaching = new ArrayList<>();
    for (int i = 0; i < COPIES; i++) {
      attaching.add(inboxes.attach(new InboxId("tenant", "client-" + i), request));
    }
    store.await(attaching);
    for (CompletableFuture<Attachment> attached : attaching) {
      handles.add(attached.join().handle());
      nextSequence = attached.join().nextSequence();
    }
    for (int first = 0; first < COPIES; first += targets) {
      receivers.add(
          handles.subList(first, first + targets).stream().map(InboxAppend::target).toList());
    }
  }

  /** A single range on any host; one command acknowledges all inboxes. */
  private static InboxSettings settings(InboxSettings defaults) {
    return RecordBuilder.from(defaults)
        .with(InboxSettings::initialRanges, 1)
        .with(InboxSettings::maxCommitInboxes, COPIES)
        .build();
  }

  private static InboxTarget target(InboxHandle handle) {
    return new InboxTarget(handle.id(), handle.incarnation(), Qos.AT_LEAST_ONCE, false, List.of());
  }

  @Benchmark
  @OperationsPerInvocation(COPIES)
  public void append() {
    for (List<InboxTarget> targetsOfMessage : receivers) {
      calls.add(inboxes.insert(message, targetsOfMessage, null));
    }
    store.await(calls);
  }

  @TearDown(Level.Invocation)
  public void acknowledge() {
    for (CompletableFuture<List<InsertOutcome>> call : calls) {
      if (!call.join().stream().allMatch(InsertOutcome.STORED::equals)) {
        throw new IllegalStateException("not every copy was stored: " + call.join());
      }
    }
    calls.clear();
    nextSequence++;
    store.await(
        handles.stream().map(handle -> inboxes.commit(handle, nextSequence, List.of())).toList());
  }

  @TearDown
  public void stop() throws IOException {
    inboxes.close();
    store.close();
  }
}
