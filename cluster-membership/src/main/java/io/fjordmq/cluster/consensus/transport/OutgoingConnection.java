package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver.TrafficDrop;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Client side of a connection: sends requests, matches responses to them, and times them out. */
public final class OutgoingConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingConnection.class);
  private static final long MIN_SWEEP_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Receives the outcome of a request exactly once, on any thread; must not block. */
  @FunctionalInterface
  public interface ResponseCallback {
    void complete(@Nullable Message response, @Nullable Exception failure);

    /** Returns whether to extend the deadline by another timeout instead of failing the request. */
    default boolean isInProgress() {
      return false;
    }
  }

  /**
   * @param deadlineNanos on the clock of the {@link SweepTimer}, like all times of this class
   */
  private record PendingCall(
      long deadlineNanos, long timeoutNanos, ResponseCallback responseCallback) {}

  private final NodeId peer;
  private final Channel channel;
  private final FrameQueue queue;
  private final Map<Long, PendingCall> pendingCalls = new ConcurrentHashMap<>();
  private final AtomicLong lastCall = new AtomicLong();
  private final StartFence fence;
  private final CompletableFuture<Void> welcome = new CompletableFuture<>();
  private final long idleTimeoutNanos;
  private final ConsensusObserver observer;
  private final SweepTimer sweeps;
  private volatile long lastResponseNanos;
  private volatile boolean responded;
  private @Nullable Future<?> handshakeTimeout;
  private @Nullable StartStamp start;

  /** The stamp in the latest hello. */
  private volatile @Nullable StartStamp sentStamp;

  /** Set if a refusal may refer to an earlier stamp than {@link #sentStamp}. */
  private volatile boolean sentMultipleStamps;

  OutgoingConnection(
      NodeId peer,
      Channel channel,
      TransportSettings settings,
      StartFence fence,
      ConsensusObserver observer) {
    this.fence = fence;
    this.peer = peer;
    this.idleTimeoutNanos = settings.idleTimeout().toNanos();
    this.observer = observer;
    this.channel = channel;
    this.sweeps = new SweepTimer(channel, this::sweep);
    this.queue = new FrameQueue(channel, settings.heartbeatTick(), settings.maxQueuedBytes());
  }

  boolean isActive() {
    return channel.isActive();
  }

  /** Completes once the node has accepted the hello; fails with the reason if it refuses. */
  CompletableFuture<Void> welcome() {
    return welcome;
  }

  /** Sends a hello after connecting, and again when this node increments its start counter. */
  void sendHello(NodeId self) {
    StartStamp own = fence.ownStart();
    sentMultipleStamps = sentStamp != null;
    sentStamp = own;
    channel.writeAndFlush(
        RaftFrame.encodeHello(channel.alloc(), new RaftFrame.Hello(self, peer, own)));
  }

  /** Returns whether the node has responded to any request. */
  boolean hasResponded() {
    return responded;
  }

  /** Sends a request. The callback is called exactly once, at the latest after the timeout. */
  void send(Message request, long timeoutMillis, ResponseCallback responseCallback) {
    long call = lastCall.incrementAndGet();
    long timeout = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    long deadline = sweeps.nowNanos() + timeout;
    pendingCalls.put(call, new PendingCall(deadline, timeout, responseCallback));
    sweeps.runAt(deadline);
    ByteBuf frame = RaftFrame.encode(channel.alloc(), RaftFrame.REQUEST, call, request);
    if (!queue.offer(frame, RaftMessage.isHeartbeat(request))) {
      observer.onTrafficDropped(TrafficDrop.CONNECTION_FULL);
      fail(call, new RemotingException("send queue to node " + peer + " is full"));
    } else if (!channel.isActive()) {
      fail(call, connectionLost());
    }
  }

  private void fail(long call, Exception cause) {
    PendingCall pending = pendingCalls.remove(call);
    if (pending == null) {
      return;
    }
    try {
      pending.responseCallback().complete(null, cause);
    } catch (RuntimeException e) { // other pending calls have to fail as well
      LOG.error("Callback of a failed request threw; please report this bug node={}", peer, e);
    }
  }

  private RemotingException connectionLost() {
    return new RemotingException("connection to node " + peer + " lost");
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (!channel.isActive()) {
      queue.close(); // channelInactive may have fired before this handler was added
      welcome.completeExceptionally(connectionLost());
      return;
    }
    handshakeTimeout =
        context.executor().schedule(this::closeIfNoWelcome, idleTimeoutNanos, TimeUnit.NANOSECONDS);
  }

  private void closeIfNoWelcome() {
    if (!welcome.isDone()) {
      closeWithReason("no response to the handshake from node " + peer);
    }
  }

  private void sweep() {
    long now = sweeps.nowNanos();
    long next = SweepTimer.NEVER;
    boolean timedOut = false;
    for (Map.Entry<Long, PendingCall> entry : pendingCalls.entrySet()) {
      PendingCall call = entry.getValue();
      if (now < call.deadlineNanos()) {
        next = Math.min(next, call.deadlineNanos());
        continue;
      }
      if (call.responseCallback().isInProgress()) {
        PendingCall extended =
            new PendingCall(
                now + call.timeoutNanos(), call.timeoutNanos(), call.responseCallback());
        pendingCalls.replace(entry.getKey(), call, extended);
        next = Math.min(next, extended.deadlineNanos());
      } else {
        fail(entry.getKey(), new InvokeTimeoutException("no response from node " + peer));
        timedOut = true;
      }
    }
    sweeps.runAt(Math.max(next, now + MIN_SWEEP_INTERVAL_NANOS));
    // Otherwise requests to a vanished node or a reassigned address would keep failing for minutes.
    if (timedOut && now - lastResponseNanos > idleTimeoutNanos) {
      LOG.warn("Peer does not respond; reconnecting node={}", peer);
      channel.close();
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    byte kind = frame.readByte();
    StartStamp peerStart = start;
    if (kind == RaftFrame.REFUSAL) {
      onRefusal(RaftFrame.readRefusal(frame));
      return;
    } else if (peerStart == null) {
      onWelcome(kind, frame);
      return;
    } else if (kind != RaftFrame.RESPONSE) {
      throw new CorruptedFrameException(
          "expected a response from node " + peer + ", got a frame of kind " + kind);
    } else if (!fence.accepts(peer, peerStart)) {
      throw new CorruptedFrameException(
          "node "
              + peer
              + " has restarted since this connection was opened, or this node is fenced");
    }
    responded = true;
    lastResponseNanos = sweeps.nowNanos();
    RaftFrame.Call response = RaftFrame.readCall(frame);
    PendingCall call = pendingCalls.remove(response.call());
    if (call != null) {
      call.responseCallback().complete(response.message(), null);
    }
  }

  private void onWelcome(byte kind, ByteBuf frame) {
    if (kind != RaftFrame.WELCOME) {
      throw new CorruptedFrameException(
          "expected a handshake response from node " + peer + ", got a frame of kind " + kind);
    }
    RaftFrame.Welcome response = RaftFrame.readWelcome(frame);
    StartFence.Refusal refusal = fence.admit(peer, response.start());
    if (refusal == null) {
      start = response.start();
      welcome.complete(null);
    } else {
      closeWithReason(refusal.reason());
    }
  }

  private void onRefusal(StartFence.Refusal refusal) {
    StartStamp singleStamp = sentMultipleStamps ? null : sentStamp;
    if (refusal.permanent() && singleStamp != null) {
      fence.onRefused(singleStamp, refusal.reason());
    }
    closeWithReason(refusal.reason());
  }

  private void closeWithReason(String reason) {
    welcome.completeExceptionally(new RemotingException(reason));
    channel.close();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    queue.drain();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (handshakeTimeout != null) {
      handshakeTimeout.cancel(false);
    }
    sweeps.cancel();
    queue.close();
    if (start != null) {
      fence.release(peer, start);
    }
    welcome.completeExceptionally(connectionLost());
    pendingCalls.keySet().forEach(call -> fail(call, connectionLost()));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.warn("Closing an outgoing Raft connection: {} node={}", cause.toString(), peer);
    context.close();
  }
}
