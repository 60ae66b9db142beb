package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver.TrafficDrop;
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

/** The asking end of a connection: sends requests, matches answers to them, ends late ones. */
final class OutgoingConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingConnection.class);
  private static final long SWEEP_MILLIS = 50;

  /** Told once what became of a request, on any thread; must be quick. */
  @FunctionalInterface
  interface Answer {
    void complete(@Nullable Message response, @Nullable Exception failure);

    /** Whether it is worth waiting for once more as long as it was. */
    default boolean isUnderWay() {
      return false;
    }
  }

  private record Waiting(long deadlineNanos, long timeoutNanos, Answer answer) {}

  private final NodeId peer;
  private final Channel channel;
  private final FrameQueue queue;
  private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private final AtomicLong lastCall = new AtomicLong();
  private final StartFence fence;
  private final CompletableFuture<Void> welcome = new CompletableFuture<>();
  private final long silenceNanos;
  private final ConsensusObserver observer;
  private volatile long heardNanos = System.nanoTime();
  private volatile boolean heard;
  private @Nullable Future<?> sweeping;
  private @Nullable StartStamp start;

  /** What the node was shown; not known to which hello a refusal answers if there were several. */
  private volatile @Nullable StartStamp shown;

  private volatile boolean shownAnother;

  OutgoingConnection(
      NodeId peer,
      Channel channel,
      TransportSettings settings,
      StartFence fence,
      ConsensusObserver observer) {
    this.fence = fence;
    this.peer = peer;
    this.silenceNanos = settings.silence().toNanos();
    this.observer = observer;
    this.channel = channel;
    this.queue = new FrameQueue(channel, settings.heartbeatTick(), settings.maxQueuedBytes());
  }

  boolean isActive() {
    return channel.isActive();
  }

  /** Completes once the node has accepted the hello; fails with the reason if it does not. */
  CompletableFuture<Void> welcome() {
    return welcome;
  }

  /** Says hello, at first and whenever this node's start was raised. */
  void greet(NodeId self) {
    StartStamp own = fence.own();
    shownAnother = shown != null;
    shown = own;
    channel.writeAndFlush(RaftFrame.hello(channel.alloc(), new RaftFrame.Hello(self, peer, own)));
  }

  /** Whether the node ever answered. */
  boolean heardAnything() {
    return heard;
  }

  /** Sends a request; it is answered exactly once, if only by its timeout. */
  void ask(Message request, long timeoutMillis, Answer answer) {
    long call = lastCall.incrementAndGet();
    long timeout = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    waiting.put(call, new Waiting(System.nanoTime() + timeout, timeout, answer));
    ByteBuf frame = RaftFrame.encode(channel.alloc(), RaftFrame.REQUEST, call, request);
    if (!queue.offer(frame, RaftMessage.isHeartbeat(request))) {
      observer.trafficDropped(TrafficDrop.CONNECTION_FULL);
      fail(call, new RemotingException("too much waits to be sent to " + peer));
    } else if (!channel.isActive()) {
      fail(call, lost());
    }
  }

  private void fail(long call, Exception cause) {
    Waiting one = waiting.remove(call);
    if (one == null) {
      return;
    }
    try {
      one.answer().complete(null, cause);
    } catch (RuntimeException e) { // the others have to be told as well
      LOG.error("Response callback threw after a timeout peer={}", peer, e);
    }
  }

  private RemotingException lost() {
    return new RemotingException("the connection to " + peer + " was lost");
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (!channel.isActive()) {
      queue.close(); // it may have gone before this was added, and nobody would say so
      welcome.completeExceptionally(lost());
      return;
    }
    sweeping =
        context
            .executor()
            .scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void sweep() {
    long now = System.nanoTime();
    if (!welcome.isDone() && now - heardNanos > silenceNanos) {
      refused("no answer to the handshake");
    }
    boolean late = false;
    for (Map.Entry<Long, Waiting> one : waiting.entrySet()) {
      Waiting waits = one.getValue();
      if (now - waits.deadlineNanos() <= 0) {
        continue;
      }
      if (waits.answer().isUnderWay()) {
        Waiting longer =
            new Waiting(now + waits.timeoutNanos(), waits.timeoutNanos(), waits.answer());
        waiting.replace(one.getKey(), waits, longer);
      } else {
        fail(one.getKey(), new InvokeTimeoutException(peer + " did not answer in time"));
        late = true;
      }
    }
    // A node that vanished without a word, or whose address passed on, would be asked for minutes.
    if (late && now - heardNanos > silenceNanos) {
      LOG.warn("Peer does not answer; reconnecting node={}", peer);
      channel.close();
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    byte kind = frame.readByte();
    StartStamp theirs = start;
    if (kind == RaftFrame.REFUSAL) {
      refused(RaftFrame.readRefusal(frame));
      return;
    } else if (theirs == null) {
      welcomed(kind, frame);
      return;
    } else if (kind != RaftFrame.RESPONSE) {
      throw new CorruptedFrameException(peer + " sent something else than an answer");
    } else if (!fence.hears(peer, theirs)) {
      throw new CorruptedFrameException("a later start of it is known, or this node is fenced");
    }
    heard = true;
    heardNanos = System.nanoTime();
    RaftFrame.Call response = RaftFrame.readCall(frame);
    Waiting one = waiting.remove(response.call());
    if (one != null) {
      one.answer().complete(response.message(), null);
    }
  }

  private void welcomed(byte kind, ByteBuf frame) {
    if (kind != RaftFrame.WELCOME) {
      throw new CorruptedFrameException(peer + " did not answer the handshake");
    }
    RaftFrame.Welcome answer = RaftFrame.readWelcome(frame);
    StartFence.Refusal refusal = fence.enter(peer, answer.start());
    if (refusal == null) {
      start = answer.start();
      welcome.complete(null);
    } else {
      refused(refusal.why());
    }
  }

  private void refused(StartFence.Refusal refusal) {
    StartStamp only = shownAnother ? null : shown;
    if (refusal.forGood() && only != null) {
      fence.refused(only, refusal.why());
    }
    refused(refusal.why());
  }

  private void refused(String why) {
    welcome.completeExceptionally(new RemotingException(why));
    channel.close();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    queue.drain();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (sweeping != null) {
      sweeping.cancel(false);
    }
    queue.close();
    if (start != null) {
      fence.leave(peer, start);
    }
    welcome.completeExceptionally(lost());
    waiting.keySet().forEach(call -> fail(call, lost()));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.warn("Closing an outgoing Raft connection: {} node={}", cause.toString(), peer);
    context.close();
  }
}
