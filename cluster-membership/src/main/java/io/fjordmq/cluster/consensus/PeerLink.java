package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
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
 * This node's one connection to another node, made when first needed and again when lost. All
 * groups share it.
 */
final class PeerLink {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

  private final NodeId self;
  private final NodeId peer;
  private final ClusterPort port;
  private final Bootstrap bootstrap;
  private final ConsensusObserver observer;
  private final Runnable onConnected;

  private @Nullable CompletableFuture<OutgoingConnection> connecting;
  private volatile @Nullable OutgoingConnection connection;
  private long pauseUntilNanos = System.nanoTime();
  private boolean reported;
  private boolean closed;

  PeerLink(
      NodeId self,
      NodeId peer,
      ClusterPort port,
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

  /** Starts to connect unless it is connected, connecting, or has just failed to. */
  void connect() {
    connected();
  }

  /** Sends a request once connected. It is answered exactly once, on any thread. */
  void ask(Message request, long timeoutMillis, OutgoingConnection.Answer answer) {
    OutgoingConnection current = connection;
    if (current != null && current.isActive()) {
      current.ask(request, timeoutMillis, answer);
      return;
    }
    connected()
        .whenComplete(
            (made, failure) -> {
              if (made != null) {
                made.ask(request, timeoutMillis, answer);
              } else {
                answer.complete(null, new RemotingException(String.valueOf(failure)));
              }
            });
  }

  private CompletableFuture<OutgoingConnection> connected() {
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
      if (closed || address == null || System.nanoTime() - pauseUntilNanos < 0) {
        return CompletableFuture.failedFuture(unreachable(address));
      }
      attempt = new CompletableFuture<>();
      connecting = attempt;
    }
    try {
      bootstrap
          .connect(address)
          .addListener(done -> connectedTo(address, (ChannelFuture) done, attempt));
    } catch (IllegalStateException | RejectedExecutionException e) {
      failed(attempt, address, e);
    }
    return attempt;
  }

  private RemotingException unreachable(@Nullable InetSocketAddress address) {
    return new RemotingException(
        address == null
            ? "no address of node " + peer + " is known"
            : "node " + peer + " at " + address + " cannot be reached");
  }

  private void connectedTo(
      InetSocketAddress address,
      ChannelFuture done,
      CompletableFuture<OutgoingConnection> attempt) {
    SslHandler tls = done.channel().pipeline().get(SslHandler.class);
    if (!done.isSuccess()) {
      failed(attempt, address, done.cause());
    } else if (tls == null) {
      finish(done.channel(), attempt, address);
    } else {
      ChannelHandler waiting = new WaitingForTls();
      done.channel().pipeline().addLast(waiting);
      tls.handshakeFuture()
          .addListener(
              shaken -> {
                if (shaken.isSuccess()) {
                  done.channel().pipeline().remove(waiting);
                  finish(done.channel(), attempt, address);
                } else {
                  failed(attempt, address, shaken.cause());
                }
              });
    }
  }

  /** Stands at the end of the pipeline until there is a connection; the handshake tells why not. */
  private static final class WaitingForTls extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  private void finish(
      Channel channel, CompletableFuture<OutgoingConnection> attempt, InetSocketAddress address) {
    OutgoingConnection made =
        new OutgoingConnection(peer, channel, port.settings(), port.fence(), observer);
    channel.pipeline().addLast(made);
    made.greet(self);
    made.welcome()
        .whenComplete(
            (welcome, refusal) -> {
              if (refusal == null) {
                welcomed(made, channel, attempt, address);
              } else {
                failed(attempt, address, refusal);
              }
            });
  }

  private void welcomed(
      OutgoingConnection made,
      Channel channel,
      CompletableFuture<OutgoingConnection> attempt,
      InetSocketAddress address) {
    channel.closeFuture().addListener(gone -> lost(made));
    synchronized (this) {
      if (closed) {
        channel.close();
      }
      connection = made;
      connecting = null;
    }
    LOG.debug("connected to node {} at {} for Raft", peer, address);
    attempt.complete(made);
    onConnected.run();
  }

  /** This node's start was raised. */
  void greetAgain() {
    OutgoingConnection current = connection;
    if (current != null && current.isActive()) {
      current.greet(self);
    }
  }

  private void failed(
      CompletableFuture<OutgoingConnection> attempt,
      InetSocketAddress address,
      @Nullable Throwable cause) {
    boolean first;
    synchronized (this) {
      first = !reported && !closed;
      reported = true;
      connecting = null;
      pauseUntilNanos = System.nanoTime() + port.settings().reconnectPause().toNanos();
    }
    if (first) {
      LOG.warn(
          "Cannot reach a node, retrying: {} node={} address={}",
          String.valueOf(cause),
          peer,
          address);
    }
    attempt.completeExceptionally(unreachable(address));
  }

  /** A connection that ends before it brought an answer is as good as none: it was refused. */
  private synchronized void lost(OutgoingConnection gone) {
    if (connection == gone) {
      connection = null;
    }
    if (closed) {
      return;
    }
    if (gone.heardAnything()) {
      LOG.warn("Raft connection lost node={}", peer);
      reported = false;
    } else {
      pauseUntilNanos = System.nanoTime() + port.settings().reconnectPause().toNanos();
      if (!reported) {
        LOG.warn("Peer closed the connection during the handshake; see its log node={}", peer);
      }
      reported = true;
    }
  }

  synchronized void close() {
    closed = true;
  }
}
