package io.fjordmq.cluster.peer;

import static java.util.Objects.requireNonNull;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.cluster.peer.proto.Accepted;
import io.fjordmq.cluster.peer.proto.ClientMessage;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.fjordmq.cluster.peer.proto.Response;
import io.fjordmq.cluster.peer.proto.ServerMessage;
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
final class ClientStream implements ClientResponseObserver<ClientMessage, ServerMessage> {
  private final NodeId peer;
  private final ManagedChannel channel;
  private final PeerSettings settings;
  private final StartFence fence;
  private final Listener listener;
  private final long openedNanos;
  private final AtomicLong lastCall = new AtomicLong();
  private final Map<Long, PendingCall> pendingCalls = new ConcurrentHashMap<>();
  private @Nullable ClientCallStreamObserver<ClientMessage> stream;
  private @Nullable SendQueue<ClientMessage> queue;
  private volatile boolean accepted;
  private volatile @Nullable StartStamp peerStart;
  private volatile StartStamp presentedStart = StartStamp.NONE;
  private volatile boolean ended;
  private volatile long lastReceivedNanos;
  private long lastPingNanos;

  /** Receives the events of the connection, on one of its threads. */
  interface Listener {
    void onAccepted();

    /** Called exactly once, when the connection has ended. */
    void onEnded(ClientStream stream, String reason, boolean wasAccepted);
  }

  private static final class PendingCall {
    final String service;
    final long deadlineNanos;
    final CompletableFuture<byte[]> response = new CompletableFuture<>();
    volatile boolean sent;

    PendingCall(String service, long deadlineNanos) {
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
    this.openedNanos = nanos;
    this.lastReceivedNanos = nanos;
    this.lastPingNanos = nanos;
  }

  /**
   * Starts connecting. Must be called once, before any other method.
   *
   * @param ownStart the stamp in the opening message
   */
  void open(ClientMessage opening, StartStamp ownStart) {
    presentedStart = ownStart;
    PeersGrpc.newStub(channel).converse(this);
    queue().begin(opening);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ClientMessage> request) {
    stream = request;
    queue = new SendQueue<>(request, settings.maxQueuedBytes());
    request.setOnReadyHandler(queue::drain);
  }

  boolean isEnded() {
    return ended;
  }

  CompletableFuture<byte[]> call(String service, byte[] request, Duration timeout, long nanos) {
    if (pendingCalls.size() >= settings.maxPendingCalls()) {
      return notSent(
          "too many pending calls to node %s (maxPendingCalls %d)"
              .formatted(peer, settings.maxPendingCalls()));
    }
    long call = lastCall.incrementAndGet();
    PendingCall pending = new PendingCall(service, nanos + timeout.toNanos());
    pendingCalls.put(call, pending);
    ClientMessage message = PeerProtocol.request(call, service, request);
    boolean queued =
        queue()
            .offer(
                message, request.length + PeerProtocol.OVERHEAD_BYTES, () -> pending.sent = true);
    if (!queued) {
      pendingCalls.remove(call);
      return ended
          ? CompletableFuture.failedFuture(
              new PeerException(Kind.NOT_SENT, "call to node " + peer, "the connection was lost"))
          : notSent(
              "the send queue to node %s is full (maxQueuedBytes %d)"
                  .formatted(peer, settings.maxQueuedBytes()));
    }
    return pending.response;
  }

  private static CompletableFuture<byte[]> notSent(String reason) {
    return CompletableFuture.failedFuture(new PeerException(Kind.NOT_SENT, reason));
  }

  /**
   * Fails calls that have timed out, and closes the connection if the node does not respond. Must
   * be called many times a second. Received messages show that the node responds, so only a
   * connection without calls needs pings.
   *
   * @return whether the connection waits for the node, so that a call can time out soon
   */
  boolean tick(long nanos) {
    for (Map.Entry<Long, PendingCall> entry : pendingCalls.entrySet()) {
      if (nanos - entry.getValue().deadlineNanos >= 0) {
        fail(entry.getKey(), "timed out");
      }
    }
    if (!accepted && nanos - openedNanos > settings.connectTimeout().toNanos()) {
      end(
          "the peer did not accept the connection within "
              + settings.connectTimeout().toMillis()
              + " ms");
    } else if (accepted && nanos - lastReceivedNanos > settings.idleTimeout().toNanos()) {
      end("no message from the peer for " + settings.idleTimeout().toMillis() + " ms");
    } else if (isPingDue(nanos)) {
      lastPingNanos = nanos;
      queue().offerFirst(PeerProtocol.PING);
    }
    return !ended && (!accepted || !pendingCalls.isEmpty());
  }

  private boolean isPingDue(long nanos) {
    long interval = settings.pingInterval().toNanos();
    return nanos - lastPingNanos > interval && nanos - lastReceivedNanos > interval;
  }

  @Override
  public void onNext(ServerMessage message) {
    lastReceivedNanos = System.nanoTime();
    switch (message.getKindCase()) {
      case ACCEPTED -> onAccepted(message.getAccepted());
      case RESPONSE -> onResponse(message.getResponse());
      case PONG -> {} // lastReceivedNanos is set; nothing else to do
      case KIND_NOT_SET -> end("the peer sent a message of an unknown kind; upgrade this node");
    }
  }

  private void onAccepted(Accepted response) {
    StartFence.Refusal refusal = fence.admit(peer, PeerProtocol.decode(response.getStart()));
    if (refusal != null) {
      end(refusal.reason());
      return;
    }
    peerStart = PeerProtocol.decode(response.getStart());
    accepted = true;
    listener.onAccepted();
    queue().open();
  }

  private void onResponse(Response response) {
    PendingCall pending = pendingCalls.remove(response.getCall());
    if (pending == null) {
      return;
    }
    if (response.hasRefusal()) {
      pending.response.completeExceptionally(
          new PeerException(Kind.REFUSED, response.getRefusal()));
    } else {
      pending.response.complete(response.getBody().toByteArray());
    }
  }

  private void fail(long call, String reason) {
    PendingCall pending = pendingCalls.remove(call);
    if (pending != null) {
      pending.response.completeExceptionally(
          new PeerException(
              pending.sent ? Kind.NO_RESPONSE : Kind.NOT_SENT,
              "'" + pending.service + "' on node " + peer,
              reason));
    }
  }

  @Override
  public void onError(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    StartFence.Refusal refusal = PeerRefusals.decode(status);
    if (refusal != null && refusal.permanent()) {
      fence.onRefused(presentedStart, refusal.reason());
    }
    end(
        status.getCode() == Status.Code.CANCELLED
            ? "the peer closed the connection"
            : PeerChannels.reason(status));
  }

  @Override
  public void onCompleted() {
    end("the peer closed the connection");
  }

  /** Closes the connection; pending calls fail. */
  void end(String reason) {
    if (!queue().close()) {
      return;
    }
    ended = true;
    StartStamp start = peerStart;
    if (start != null) {
      fence.release(peer, start);
    }
    stream().cancel(reason, null);
    channel.shutdownNow();
    listener.onEnded(this, reason, accepted);
    List.copyOf(pendingCalls.keySet()).forEach(call -> fail(call, reason));
  }

  private SendQueue<ClientMessage> queue() {
    return requireNonNull(queue, "not opened");
  }

  private ClientCallStreamObserver<ClientMessage> stream() {
    return requireNonNull(stream, "not opened");
  }
}
