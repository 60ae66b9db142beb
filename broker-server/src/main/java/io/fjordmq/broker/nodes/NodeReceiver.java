package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.MalformedBytesException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving end of the streams from all other nodes. For each sender, it remembers the
 * incarnation and the last batch, so that a resent batch gets the same response and is not
 * processed again. Thread-safe.
 */
public final class NodeReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(NodeReceiver.class);

  private final Membership membership;
  private final ItemReceiver receiver;
  private final NodesObserver observer;
  private final AtomicLong undecodableItems = new AtomicLong();
  private final ConcurrentHashMap<NodeId, SenderState> senders = new ConcurrentHashMap<>();

  /** The state of a sender. Guarded by its own monitor, which also keeps batches in order. */
  private static final class SenderState {
    private long senderIncarnation;
    private long receiverIncarnation;
    private long firstNumber = 1;
    private int itemCount;
    private CompletableFuture<byte[]> response = new CompletableFuture<>();
  }

  public NodeReceiver(Membership membership, ItemReceiver receiver, NodesObserver observer) {
    this.membership = membership;
    this.receiver = receiver;
    this.observer = observer;
  }

  /** Starts receiving items. */
  public void start(PeerServices services) {
    services.serve(StreamSender.SERVICE, this::handle);
  }

  private CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    StreamBatch batch = StreamBatch.decode(request);
    SenderState origin = senders.computeIfAbsent(from, node -> new SenderState());
    synchronized (origin) {
      String fault = updateIncarnations(origin, batch);
      if (fault != null) {
        return CompletableFuture.failedFuture(new PeerException(PeerException.Kind.REFUSED, fault));
      }
      if (batch.firstNumber() == origin.firstNumber && origin.itemCount == batch.items().size()) {
        observer.onDuplicate(origin.itemCount);
        return origin.response;
      }
      if (batch.firstNumber() != origin.firstNumber + origin.itemCount) {
        return CompletableFuture.failedFuture(
            new PeerException(
                PeerException.Kind.REFUSED,
                "expected item %d of node %s, but the batch begins with item %d"
                    .formatted(origin.firstNumber + origin.itemCount, from, batch.firstNumber())));
      }
      origin.firstNumber = batch.firstNumber();
      origin.itemCount = batch.items().size();
      origin.response = processItems(from, batch.items());
      return origin.response;
    }
  }

  /**
   * Resets the item numbers if either node has a later incarnation. Returns why the batch is
   * rejected; null if it is not.
   */
  private @Nullable String updateIncarnations(SenderState origin, StreamBatch batch) {
    long own = membership.incarnation();
    if (batch.receiverIncarnation() != own) {
      return "the batch is for incarnation %d of this node, but the current incarnation is %d"
          .formatted(batch.receiverIncarnation(), own);
    }
    if (batch.senderIncarnation() < origin.senderIncarnation) {
      return "the batch is from incarnation %d of the sender, but incarnation %d is already known"
          .formatted(batch.senderIncarnation(), origin.senderIncarnation);
    }
    if (batch.senderIncarnation() > origin.senderIncarnation || origin.receiverIncarnation != own) {
      origin.senderIncarnation = batch.senderIncarnation();
      origin.receiverIncarnation = own;
      origin.firstNumber = 1;
      origin.itemCount = 0;
    }
    return null;
  }

  private CompletableFuture<byte[]> processItems(NodeId from, List<byte[]> items) {
    CompletableFuture<byte[]> response = new CompletableFuture<>();
    ItemOutcome[] outcomes = new ItemOutcome[items.size()];
    AtomicInteger remaining = new AtomicInteger(items.size() + 1);
    Runnable onItemDone =
        () -> {
          if (remaining.decrementAndGet() == 0) {
            response.complete(StreamBatch.encodeResponse(outcomes));
          }
        };
    for (int i = 0; i < outcomes.length; i++) {
      int index = i;
      AtomicBoolean completed = new AtomicBoolean();
      processItem(
          from,
          items.get(i),
          outcome -> {
            if (completed.compareAndSet(false, true)) {
              outcomes[index] = outcome;
              onItemDone.run();
            }
          });
    }
    receiver.onBatchComplete();
    observer.onReceived(outcomes.length);
    onItemDone.run();
    return response;
  }

  /**
   * Processes one item. Catches exceptions, so that a bug in the handling of one item does not
   * block the items behind it.
   */
  private void processItem(NodeId from, byte[] item, ItemReceiver.Responder responder) {
    NodeItem decoded;
    try {
      decoded = ItemCodec.decode(item);
    } catch (MalformedBytesException e) {
      if (undecodableItems.incrementAndGet() == 1) {
        LOG.error(
            "Cannot decode a message from another node; rejecting it and all further undecodable"
                + " messages, so their publishes will not be acknowledged: {} node={}",
            e.getMessage(),
            from);
      }
      responder.respondAccepted(false);
      return;
    }
    try {
      receiver.onItem(from, decoded, responder);
    } catch (RuntimeException e) {
      LOG.error(
          "Failed to handle a message from another node node={} type={}",
          from,
          decoded.getClass().getSimpleName(),
          e);
      responder.respondAccepted(false);
    }
  }
}
