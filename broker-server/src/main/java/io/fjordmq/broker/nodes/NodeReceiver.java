package io.fjordmq.broker.nodes;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerServices;
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
 * The receiving end of the streams of all other nodes. Of each it knows the life and the number of
 * its last batch: one that comes again is answered like the first time and not taken again.
 * Thread-safe.
 */
public final class NodeReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(NodeReceiver.class);

  private final Membership membership;
  private final ItemReceiver receiver;
  private final NodesObserver observer;
  private final AtomicLong unreadable = new AtomicLong();
  private final ConcurrentHashMap<NodeId, Origin> origins = new ConcurrentHashMap<>();

  /** What is known of a sender. Guarded by itself, which also keeps its batches in order. */
  private static final class Origin {
    private long sender;
    private long receiver;
    private long first = 1;
    private int count;
    private CompletableFuture<byte[]> answer = new CompletableFuture<>();
  }

  public NodeReceiver(Membership membership, ItemReceiver receiver, NodesObserver observer) {
    this.membership = membership;
    this.receiver = receiver;
    this.observer = observer;
  }

  /** Begins to take items. */
  public void start(PeerServices services) {
    services.serve(StreamSender.SERVICE, this::handle);
  }

  private CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    StreamBatch batch = StreamBatch.decode(request);
    Origin origin = origins.computeIfAbsent(from, node -> new Origin());
    synchronized (origin) {
      String fault = adopt(origin, batch);
      if (fault != null) {
        return CompletableFuture.failedFuture(new PeerException(PeerException.Kind.REFUSED, fault));
      }
      if (batch.first() == origin.first && origin.count == batch.items().size()) {
        observer.repeated(origin.count);
        return origin.answer;
      }
      if (batch.first() != origin.first + origin.count) {
        return CompletableFuture.failedFuture(
            new PeerException(
                PeerException.Kind.REFUSED,
                "item %d was expected, not %d of node %s"
                    .formatted(origin.first + origin.count, batch.first(), from)));
      }
      origin.first = batch.first();
      origin.count = batch.items().size();
      origin.answer = take(batch.items());
      return origin.answer;
    }
  }

  /** Begins anew with a later life of either node; returns why the batch is not taken. */
  private @Nullable String adopt(Origin origin, StreamBatch batch) {
    long own = membership.incarnation();
    if (batch.receiver() != own) {
      return "it is for life " + batch.receiver() + " of this node, which is in life " + own;
    }
    if (batch.sender() < origin.sender) {
      return "it is of life " + batch.sender() + ", but life " + origin.sender + " has begun";
    }
    if (batch.sender() > origin.sender || origin.receiver != own) {
      origin.sender = batch.sender();
      origin.receiver = own;
      origin.first = 1;
      origin.count = 0;
    }
    return null;
  }

  private CompletableFuture<byte[]> take(List<byte[]> items) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    ItemOutcome[] outcomes = new ItemOutcome[items.size()];
    AtomicInteger open = new AtomicInteger(items.size() + 1);
    Runnable settled =
        () -> {
          if (open.decrementAndGet() == 0) {
            answer.complete(StreamBatch.encodeAnswer(outcomes));
          }
        };
    for (int i = 0; i < outcomes.length; i++) {
      int index = i;
      AtomicBoolean answered = new AtomicBoolean();
      takeOne(
          items.get(i),
          outcome -> {
            if (answered.compareAndSet(false, true)) {
              outcomes[index] = outcome;
              settled.run();
            }
          });
    }
    receiver.endOfBatch();
    observer.received(outcomes.length);
    settled.run();
    return answer;
  }

  /** An item that cannot be taken because of a bug must not stop those behind it. */
  private void takeOne(byte[] item, ItemReceiver.Answer answer) {
    NodeItem decoded;
    try {
      decoded = ItemCodec.decode(item);
    } catch (MalformedBytesException e) {
      if (unreadable.incrementAndGet() == 1) {
        LOG.error(
            "Cannot decode a message from another node; rejecting it and all that follow, "
                + "so their publishers get no acknowledgement: {}",
            e.getMessage());
      }
      answer.taken(false);
      return;
    }
    try {
      receiver.take(decoded, answer);
    } catch (RuntimeException e) {
      LOG.error(
          "Failed to handle a message from another node type={}",
          decoded.getClass().getSimpleName(),
          e);
      answer.taken(false);
    }
  }
}
