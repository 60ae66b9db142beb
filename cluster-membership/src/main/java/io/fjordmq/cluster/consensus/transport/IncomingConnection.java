package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.AddressBook;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver.TrafficDrop;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CorruptedFrameException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Server side of a connection from another node: dispatches requests and sends responses. */
final class IncomingConnection extends SimpleChannelInboundHandler<ByteBuf> implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingConnection.class);

  private final NodeId self;
  private final Channel channel;
  private final RaftRequests requests;
  private final AddressBook addresses;
  private final StartFence fence;
  private final TransportSettings settings;
  private final ConsensusObserver observer;
  private final FrameQueue queue;
  private final HeartbeatBatch heartbeats = new HeartbeatBatch();
  private final Map<String, Object> attributes = new ConcurrentHashMap<>();
  private @Nullable NodeId peer;
  private StartStamp start = StartStamp.NONE;
  private boolean refused;

  IncomingConnection(
      NodeId self,
      Channel channel,
      RaftRequests requests,
      RaftPortConfig port,
      ConsensusObserver observer) {
    this.self = self;
    this.channel = channel;
    this.requests = requests;
    this.addresses = port.addresses();
    this.fence = port.fence();
    this.settings = port.settings();
    this.observer = observer;
    this.queue = new FrameQueue(channel, Duration.ZERO, settings.maxQueuedBytes());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    context
        .executor()
        .schedule(this::closeIfNoHello, settings.idleTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void closeIfNoHello() {
    if (peer == null) {
      channel.close();
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    byte kind = frame.readByte();
    NodeId from = peer;
    if (refused) {
      return; // the channel closes once the refusal is written
    } else if (from == null) {
      onFirstFrame(kind, frame);
    } else if (addresses.isRemoved(from)) {
      throw new CorruptedFrameException("node " + from + " was removed from the cluster");
    } else if (!fence.accepts(from, start)) {
      throw new CorruptedFrameException(
          "node "
              + from
              + " has restarted since it opened this connection, or this node is fenced");
    } else if (kind == RaftFrame.REQUEST) {
      RaftFrame.Call request = RaftFrame.readCall(frame);
      requests.handle(request, new ResponseContext(request.call()), heartbeats);
    } else if (kind == RaftFrame.HELLO) {
      RaftFrame.readVersions(frame);
      admit(RaftFrame.readHello(frame));
    } else {
      throw new CorruptedFrameException(
          "expected a request from node " + from + ", got a frame of kind " + kind);
    }
  }

  /** Handles the batched heartbeats once all frames that have arrived are read. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    requests.handle(heartbeats);
    context.fireChannelReadComplete();
  }

  private void onFirstFrame(byte kind, ByteBuf frame) {
    if (kind != RaftFrame.HELLO) {
      throw new CorruptedFrameException("expected a hello as the first frame, got kind " + kind);
    }
    int version;
    try {
      version = RaftFrame.readVersions(frame);
    } catch (CorruptedFrameException e) {
      refuse(
          new StartFence.Refusal(
              "node " + self + " refused the connection: " + e.getMessage(), false));
      throw e;
    }
    RaftFrame.Hello hello = RaftFrame.readHello(frame);
    if (!hello.to().equals(self)) {
      throw new CorruptedFrameException(
          "node "
              + hello.from()
              + " tried to reach node "
              + hello.to()
              + ", but this is node "
              + self
              + "; its address for that node is out of date");
    }
    if (admit(hello)) {
      channel.writeAndFlush(
          RaftFrame.encodeWelcome(
              channel.alloc(), new RaftFrame.Welcome(version, fence.ownStart())));
    }
  }

  /**
   * Admits the node. Called for its first hello, and again each time it has incremented its start
   * counter.
   */
  private boolean admit(RaftFrame.Hello hello) {
    StartFence.Refusal refusal =
        fence.fenceReason() == null
            ? fence.admit(hello.from(), hello.start())
            : new StartFence.Refusal("node " + self + " is fenced", false);
    if (refusal != null) {
      if (requests.isNewRefusal(hello.from() + refusal.reason())) {
        LOG.warn(
            "Refused a Raft connection: {} peer={}", refusal.reason(), channel.remoteAddress());
      }
      refuse(refusal);
      return false;
    }
    if (peer != null) {
      fence.release(peer, start); // count this connection only once
    }
    peer = hello.from();
    start = hello.start();
    return true;
  }

  private void refuse(StartFence.Refusal refusal) {
    refused = true;
    channel
        .writeAndFlush(RaftFrame.encodeRefusal(channel.alloc(), refusal))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Sends the response to one request. */
  private final class ResponseContext implements RpcContext {
    private final long call;

    ResponseContext(long call) {
      this.call = call;
    }

    @Override
    public void sendResponse(Object response) {
      ByteBuf frame =
          RaftFrame.encode(channel.alloc(), RaftFrame.RESPONSE, call, (Message) response);
      if (!queue.offer(frame, false)) {
        observer.onTrafficDropped(TrafficDrop.CONNECTION_FULL);
      }
    }

    @Override
    public Connection getConnection() {
      return IncomingConnection.this;
    }

    @Override
    public String getRemoteAddress() {
      return remote();
    }
  }

  private String remote() {
    return (peer == null ? "unidentified node" : peer) + " at " + channel.remoteAddress();
  }

  private String host() {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? address.getHostString()
        : "";
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    queue.drain();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    queue.close();
    if (peer != null) {
      fence.release(peer, start);
    }
    requests.onConnectionClosed(remote(), this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    String reason =
        cause instanceof CorruptedFrameException ? cause.getMessage() : cause.toString();
    if (peer != null || requests.isNewRefusal(host() + reason)) {
      LOG.warn("Closing an incoming Raft connection: {} peer={}", reason, remote());
    }
    if (!refused) {
      context.close();
    }
  }

  @Override
  public @Nullable Object getAttribute(String key) {
    return attributes.get(key);
  }

  @Override
  public void setAttribute(String key, Object value) {
    attributes.put(key, value);
  }

  @Override
  public @Nullable Object setAttributeIfAbsent(String key, Object value) {
    return attributes.putIfAbsent(key, value);
  }

  @Override
  public void close() {
    channel.close();
  }
}
