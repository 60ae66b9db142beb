package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's only connection to another node, shared by all groups. It is established on demand,
 * and again after a failure.
 */
final class PeerLink {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

  private final NodeId self;
  private final NodeId peer;
  private final RaftPortConfig port;
  private final Bootstrap bootstrap;
  private final ConsensusObserver observer;
  private final Runnable onConnected;

  private @Nullable CompletableFuture<OutgoingConnection> connecting;
  private volatile @Nullable OutgoingConnection connection;
  private long retryAtNanos = System.nanoTime();
  private boolean failureReported;
  private boolean closed;

  PeerLink(
      NodeId self,
      NodeId peer,
      RaftPortConfig port,
      Bootstrap bootstrap,
      ConsensusObserver observer,
      Runnable onConnected) {
    this.self = self;
    this.peer = peer;
    this.port = port;
    this.bootstrap = bootstrap;
    this.observer = observer;
    this.onConnected = onConnected;
  }

  boolean isConnected() {
    OutgoingConnection current = connection;
    return current != null && current.isActive();
  }

  /** Starts to connect unless the link is connected, connecting, or has just failed to connect. */
  void connect() {
    connectOnce();
  }

  /** Sends a request once connected. The callback is called exactly once, on any thread. */
  void send(
      Message request, long timeoutMillis, OutgoingConnection.ResponseCallback responseCallback) {
    OutgoingConnection current = connection;
    if (current != null && current.isActive()) {
      current.send(request, timeoutMillis, responseCallback);
      return;
    }
    connectOnce()
        .whenComplete(
            (ready, failure) -> {
              if (ready != null) {
                ready.send(request, timeoutMillis, responseCallback);
              } else {
                String reason = failure == null ? "no connection" : failure.getMessage();
                responseCallback.complete(null, new RemotingException(reason));
              }
            });
  }

  private CompletableFuture<OutgoingConnection> connectOnce() {
    CompletableFuture<OutgoingConnection> attempt;
    InetSocketAddress address = port.addresses().addressOf(peer);
    synchronized (this) {
      OutgoingConnection current = connection;
      if (current != null && current.isActive()) {
        return CompletableFuture.completedFuture(current);
      }
      if (connecting != null) {
        return connecting;
      }
      if (closed || address == null || System.nanoTime() - retryAtNanos < 0) {
        return CompletableFuture.failedFuture(unreachable(address));
      }
      attempt = new CompletableFuture<>();
      connecting = attempt;
    }
    try {
      bootstrap
          .connect(address)
          .addListener(done -> onConnect(address, (ChannelFuture) done, attempt));
    } catch (IllegalStateException | RejectedExecutionException e) {
      onFailure(attempt, address, e);
    }
    return attempt;
  }

  private RemotingException unreachable(@Nullable InetSocketAddress address) {
    return new RemotingException(
        address == null
            ? "no address of node " + peer + " is known"
            : "cannot connect to node " + peer + " at " + address);
  }

  private void onConnect(
      InetSocketAddress address,
      ChannelFuture done,
      CompletableFuture<OutgoingConnection> attempt) {
    SslHandler tls = done.channel().pipeline().get(SslHandler.class);
    if (!done.isSuccess()) {
      onFailure(attempt, address, done.cause());
    } else if (tls == null) {
      sendHello(done.channel(), attempt, address);
    } else {
      ChannelHandler awaiting = new TlsHandshakeHandler();
      done.channel().pipeline().addLast(awaiting);
      tls.handshakeFuture()
          .addListener(
              handshake -> {
                if (handshake.isSuccess()) {
                  done.channel().pipeline().remove(awaiting);
                  sendHello(done.channel(), attempt, address);
                } else {
                  onFailure(attempt, address, handshake.cause());
                }
              });
    }
  }

  /**
   * The last handler in the pipeline until TLS is established. It only closes the channel, because
   * the handshake future reports the failure.
   */
  private static final class TlsHandshakeHandler extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  private void sendHello(
      Channel channel, CompletableFuture<OutgoingConnection> attempt, InetSocketAddress address) {
    OutgoingConnection ready =
        new OutgoingConnection(peer, channel, port.settings(), port.fence(), observer);
    channel.pipeline().addLast(ready);
    ready.sendHello(self);
    ready
        .welcome()
        .whenComplete(
            (welcome, refusal) -> {
              if (refusal == null) {
                onWelcome(ready, channel, attempt, address);
              } else {
                onFailure(attempt, address, refusal);
              }
            });
  }

  private void onWelcome(
      OutgoingConnection ready,
      Channel channel,
      CompletableFuture<OutgoingConnection> attempt,
      InetSocketAddress address) {
    channel.closeFuture().addListener(closedConnection -> onClosed(ready));
    synchronized (this) {
      if (closed) {
        channel.close();
      }
      connection = ready;
      connecting = null;
    }
    LOG.debug("Raft connection established node={} address={}", peer, address);
    attempt.complete(ready);
    onConnected.run();
  }

  /** Sends another hello because this node's start counter has been incremented. */
  void resendHello() {
    OutgoingConnection current = connection;
    if (current != null && current.isActive()) {
      current.sendHello(self);
    }
  }

  private void onFailure(
      CompletableFuture<OutgoingConnection> attempt,
      InetSocketAddress address,
      @Nullable Throwable cause) {
    boolean first;
    synchronized (this) {
      first = !failureReported && !closed;
      failureReported = true;
      connecting = null;
      retryAtNanos = System.nanoTime() + port.settings().reconnectInterval().toNanos();
    }
    if (first) {
      LOG.warn(
          "Cannot reach a node; retrying: {} node={} address={}",
          String.valueOf(cause),
          peer,
          address);
    }
    attempt.completeExceptionally(unreachable(address));
  }

  /**
   * Called when a connection has ended. If it ended before its first response, it was refused, so
   * reconnecting is delayed.
   */
  private synchronized void onClosed(OutgoingConnection closedConnection) {
    if (connection == closedConnection) {
      connection = null;
    }
    if (closed) {
      return;
    }
    if (closedConnection.hasResponded()) {
      LOG.warn("Raft connection lost node={}", peer);
      failureReported = false;
    } else {
      retryAtNanos = System.nanoTime() + port.settings().reconnectInterval().toNanos();
      if (!failureReported) {
        LOG.warn("Peer closed the connection during the handshake; see its log node={}", peer);
      }
      failureReported = true;
    }
  }

  synchronized void close() {
    closed = true;
  }
}
