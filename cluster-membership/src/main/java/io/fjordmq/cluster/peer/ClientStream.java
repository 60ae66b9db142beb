package io.fjordmq.cluster.peer;

import static java.util.Objects.requireNonNull;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.cluster.peer.proto.Accepted;
import io.fjordmq.cluster.peer.proto.Answer;
import io.fjordmq.cluster.peer.proto.AnswererMessage;
import io.fjordmq.cluster.peer.proto.AskerMessage;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The client side of one connection to another node, from the connection attempt to its end. Sends
 * requests in order, matches responses to them, and times them out. Thread-safe.
 *
 * <p>Requests are sent only after the node has accepted the connection, so a request that was not
 * sent has certainly not been handled.
 */
final class ClientStream implements ClientResponseObserver<AskerMessage, AnswererMessage> {
  private final NodeId peer;
  private final ManagedChannel channel;
  private final PeerSettings settings;
  private final StartFence fence;
  private final Listener listener;
  private final long begunNanos;
  private final AtomicLong lastCall = new AtomicLong();
  private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private @Nullable ClientCallStreamObserver<AskerMessage> stream;
  private @Nullable SendQueue<AskerMessage> queue;
  private volatile boolean accepted;
  private volatile @Nullable StartStamp entered;
  private volatile StartStamp shownStart = StartStamp.NONE;
  private volatile boolean ended;
  private volatile long heardNanos;
  private long pingedNanos;

  /** Receives the events of the connection, on one of its threads. */
  interface Listener {
    void accepted();

    /** Called once. */
    void ended(ClientStream stream, String why, boolean wasAccepted);
  }

  private static final class Waiting {
    final String service;
    final long deadlineNanos;
    final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    volatile boolean sent;

    Waiting(String service, long deadlineNanos) {
      this.service = service;
      this.deadlineNanos = deadlineNanos;
    }
  }

  ClientStream(
      NodeId peer,
      ManagedChannel channel,
      PeerSettings settings,
      StartFence fence,
      Listener listener,
      long nanos) {
    this.fence = fence;
    this.peer = peer;
    this.channel = channel;
    this.settings = settings;
    this.listener = listener;
    this.begunNanos = nanos;
    this.heardNanos = nanos;
    this.pingedNanos = nanos;
  }

  /**
   * Starts connecting. Must be called once, before any other method.
   *
   * @param own the stamp in the opening message
   */
  void open(AskerMessage opening, StartStamp own) {
    shownStart = own;
    PeersGrpc.newStub(channel).converse(this);
    queue().begin(opening);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<AskerMessage> request) {
    stream = request;
    queue = new SendQueue<>(request, settings.maxQueuedBytes());
    request.setOnReadyHandler(queue::drain);
  }

  boolean isEnded() {
    return ended;
  }

  CompletableFuture<byte[]> ask(String service, byte[] request, Duration timeout, long nanos) {
    if (waiting.size() >= settings.maxUnanswered()) {
      return notSent(
          "too many pending calls to node %s (maxUnanswered %d)"
              .formatted(peer, settings.maxUnanswered()));
    }
    long call = lastCall.incrementAndGet();
    Waiting one = new Waiting(service, nanos + timeout.toNanos());
    waiting.put(call, one);
    AskerMessage message = PeerProtocol.request(call, service, request);
    boolean taken =
        queue().offer(message, request.length + PeerProtocol.OVERHEAD_BYTES, () -> one.sent = true);
    if (!taken) {
      waiting.remove(call);
      return notSent(
          ended
              ? "the connection to node " + peer + " was lost"
              : "the send queue to node %s is full (maxQueuedBytes %d)"
                  .formatted(peer, settings.maxQueuedBytes()));
    }
    return one.answer;
  }

  private static CompletableFuture<byte[]> notSent(String why) {
    return CompletableFuture.failedFuture(new PeerException(Kind.NOT_SENT, why));
  }

  /**
   * Times out late calls, and closes the connection if the node is silent. Call it many times a
   * second.
   */
  void tick(long nanos) {
    for (Map.Entry<Long, Waiting> entry : waiting.entrySet()) {
      if (nanos - entry.getValue().deadlineNanos >= 0) {
        fail(entry.getKey(), "timed out");
      }
    }
    if (!accepted && nanos - begunNanos > settings.connectTimeout().toNanos()) {
      end(
          "it did not accept the connection within "
              + settings.connectTimeout().toMillis()
              + " ms");
    } else if (accepted && nanos - heardNanos > settings.silence().toNanos()) {
      end("no message from it for " + settings.silence().toMillis() + " ms");
    } else if (nanos - pingedNanos > settings.pingInterval().toNanos()) {
      pingedNanos = nanos;
      queue().offerFirst(PeerProtocol.PING);
    }
  }

  @Override
  public void onNext(AnswererMessage message) {
    heardNanos = System.nanoTime();
    switch (message.getKindCase()) {
      case ACCEPTED -> accepted(message.getAccepted());
      case ANSWER -> answered(message.getAnswer());
      case PONG -> {} // heardNanos is set; nothing else to do
      case KIND_NOT_SET -> end("it sent a message of an unknown kind; upgrade this node");
    }
  }

  private void accepted(Accepted answer) {
    StartFence.Refusal refusal = fence.enter(peer, PeerProtocol.decode(answer.getStart()));
    if (refusal != null) {
      end(refusal.why());
      return;
    }
    entered = PeerProtocol.decode(answer.getStart());
    accepted = true;
    listener.accepted();
    queue().open();
  }

  private void answered(Answer answer) {
    Waiting one = waiting.remove(answer.getCall());
    if (one == null) {
      return;
    }
    if (answer.hasRefusal()) {
      one.answer.completeExceptionally(new PeerException(Kind.REFUSED, answer.getRefusal()));
    } else {
      one.answer.complete(answer.getBody().toByteArray());
    }
  }

  private void fail(long call, String why) {
    Waiting one = waiting.remove(call);
    if (one != null) {
      one.answer.completeExceptionally(
          new PeerException(
              one.sent ? Kind.NO_ANSWER : Kind.NOT_SENT,
              "'" + one.service + "' of node " + peer + ": " + why));
    }
  }

  @Override
  public void onError(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    StartFence.Refusal refusal = PeerRefusals.decode(status);
    if (refusal != null && refusal.permanent()) {
      fence.refused(shownStart, refusal.why());
    }
    end(
        status.getCode() == Status.Code.CANCELLED
            ? "it closed the connection"
            : PeerChannels.reason(status));
  }

  @Override
  public void onCompleted() {
    end("it closed the connection");
  }

  /** Closes the connection; pending calls fail. */
  void end(String why) {
    if (!queue().close()) {
      return;
    }
    ended = true;
    StartStamp left = entered;
    if (left != null) {
      fence.leave(peer, left);
    }
    stream().cancel(why, null);
    channel.shutdownNow();
    listener.ended(this, why, accepted);
    List.copyOf(waiting.keySet()).forEach(call -> fail(call, why));
  }

  private SendQueue<AskerMessage> queue() {
    return requireNonNull(queue, "not opened");
  }

  private ClientCallStreamObserver<AskerMessage> stream() {
    return requireNonNull(stream, "not opened");
  }
}
