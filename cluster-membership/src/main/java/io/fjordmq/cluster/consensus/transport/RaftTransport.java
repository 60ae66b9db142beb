package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.ReloadingContext;
import io.fjordmq.common.net.EventLoops;
import io.fjordmq.common.net.SocketTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transports the Raft messages of all groups of this node. Each node opens one connection to every
 * node that it sends requests to. {@link RaftFrame} defines the frames, {@link RaftRequests} the
 * supported requests.
 */
public final class RaftTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RaftTransport.class);
  private static final WriteBufferWaterMark SOCKET_BUFFER =
      new WriteBufferWaterMark(256 << 10, 1 << 20);
  private static final long QUIET_PERIOD_MILLIS = 0;
  private static final long SHUTDOWN_TIMEOUT_MILLIS = 5_000;
  private static final int NOTICES_PER_TIMEOUT = 6;

  private final NodeId self;
  private final RaftPortConfig port;
  private final ConsensusObserver observer;
  private final RaftWorkers workers;
  private final RaftRequests requests;
  private final SnapshotExports exports;
  private final SocketTransport sockets = SocketTransport.best();
  private final EventLoopGroup eventLoop;
  private final Bootstrap bootstrap;
  private final @Nullable SslContext clientTls;
  private final @Nullable SslContext serverTls;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<NodeId, PeerLink> links = new ConcurrentHashMap<>();
  private final Set<ReplicatorGroup> replicators = ConcurrentHashMap.newKeySet();
  private final @Nullable InetSocketAddress boundAddress;
  private volatile boolean suppressed;

  /**
   * @throws ConsensusException ({@code FAILED}) if the port cannot be opened or the TLS files
   *     cannot be used
   */
  public RaftTransport(
      NodeId self, RaftPortConfig port, SnapshotExports exports, ConsensusObserver observer) {
    this.observer = observer;
    this.exports = exports;
    this.self = self;
    this.port = port;
    eventLoop =
        new EventLoops(1, new DefaultThreadFactory("raft-io-" + self, true), sockets.ioHandlers());
    ClusterTls tls = port.tls();
    try {
      clientTls =
          tls == null
              ? null
              : ReloadingContext.open(
                  "outgoing Raft connections", tls, () -> tls.clientContext().build(), eventLoop);
      serverTls =
          tls == null
              ? null
              : ReloadingContext.open(
                  "incoming Raft connections", tls, () -> tls.serverContext().build(), eventLoop);
    } catch (IOException e) {
      eventLoop.shutdownGracefully(
          QUIET_PERIOD_MILLIS, SHUTDOWN_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
      throw new ConsensusException(Kind.FAILED, String.valueOf(e.getMessage()), e);
    }
    workers = new RaftWorkers(self, port.settings());
    requests = new RaftRequests(workers, exports, observer);
    long snapshotTimeoutMillis = port.settings().snapshotTimeout().toMillis();
    eventLoop.scheduleWithFixedDelay(
        () -> workers.unorderedExecutor().execute(exports::expire),
        snapshotTimeoutMillis,
        snapshotTimeoutMillis,
        TimeUnit.MILLISECONDS);
    bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(sockets.channel())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, SOCKET_BUFFER)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(port.settings().connectTimeout().toMillis()))
            .handler(initializer(false));
    try {
      boundAddress = port.bind() == null ? null : listen(port.bind());
    } catch (ConsensusException e) {
      close();
      throw e;
    }
  }

  private ChannelInitializer<Channel> initializer(boolean incoming) {
    SslContext tls = incoming ? serverTls : clientTls;
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channels.add(channel);
        if (tls != null) {
          channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
        channel
            .pipeline()
            .addLast(
                new LengthFieldBasedFrameDecoder(
                    port.settings().maxFrameBytes(),
                    0,
                    RaftFrame.LENGTH_BYTES,
                    0,
                    RaftFrame.LENGTH_BYTES));
        if (incoming) {
          channel
              .pipeline()
              .addLast(new IncomingConnection(self, channel, requests, port, observer));
        }
      }
    };
  }

  private InetSocketAddress listen(InetSocketAddress address) {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoop)
            .channel(sockets.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, SOCKET_BUFFER)
            .childHandler(initializer(true))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new ConsensusException(
          Kind.FAILED,
          "cannot open the cluster port " + address + ": " + bound.cause().getMessage(),
          bound.cause());
    }
    channels.add(bound.channel());
    return (InetSocketAddress) bound.channel().localAddress();
  }

  /** Returns the listening address; null if the transport does not listen. */
  public @Nullable InetSocketAddress boundAddress() {
    return boundAddress;
  }

  RaftWorkers workers() {
    return workers;
  }

  TransportSettings settings() {
    return port.settings();
  }

  public boolean isConnected(NodeId peer) {
    return link(peer).isConnected();
  }

  /** Starts to connect unless connected. */
  public void connect(NodeId peer) {
    link(peer).connect();
  }

  /** Sends a request to another node. The callback is called exactly once, on any thread. */
  public void send(
      NodeId peer,
      Message request,
      long timeoutMillis,
      OutgoingConnection.ResponseCallback responseCallback) {
    if (port.fence().fenceReason() != null) {
      responseCallback.complete(null, new RemotingException("node " + self + " is fenced"));
      return;
    }
    if (suppressed && isLeaderOrCandidateRequest(request)) {
      responseCallback.complete(
          null, new RemotingException("not sent: Raft log writes of node " + self + " are stuck"));
      return;
    }
    if (request instanceof RpcRequests.InstallSnapshotRequest install) {
      long snapshotTimeoutMillis = port.settings().snapshotTimeout().toMillis();
      link(peer)
          .send(
              request,
              snapshotTimeoutMillis,
              extendWhileProgressing(install.getUri(), responseCallback));
      return;
    }
    link(peer).send(request, timeoutMillis, responseCallback);
  }

  /**
   * Extends the timeout while the snapshot makes progress, because the response follows its
   * installation.
   */
  private OutgoingConnection.ResponseCallback extendWhileProgressing(
      String uri, OutgoingConnection.ResponseCallback responseCallback) {
    SnapshotExchange.Offer offer = SnapshotExchange.offer(uri);
    return new OutgoingConnection.ResponseCallback() {
      @Override
      public void complete(@Nullable Message response, @Nullable Exception failure) {
        responseCallback.complete(response, failure);
      }

      @Override
      public boolean isInProgress() {
        return offer != null && exports.hasProgressed(offer.id());
      }
    };
  }

  /** Returns the source of the snapshots that the node offers. */
  SnapshotSource source(NodeId node) {
    return request -> {
      CompletableFuture<GetFileResponse> part = new CompletableFuture<>();
      send(
          node,
          request,
          port.settings().snapshotTimeout().toMillis(),
          (response, failure) -> {
            if (response instanceof GetFileResponse data) {
              part.complete(data);
            } else if (response instanceof RpcRequests.ErrorResponse error) {
              part.completeExceptionally(new SnapshotGoneException(error.getErrorMsg()));
            } else {
              part.completeExceptionally(failure == null ? new IOException() : failure);
            }
          });
      return part;
    };
  }

  /**
   * Periodically notifies the node that its snapshot is being installed on this node, until closed.
   */
  InstallNotice announceInstall(NodeId node, long offer) {
    GetFileRequest notice =
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(SnapshotExports.INSTALLING)
            .setOffset(0)
            .setCount(0)
            .build();
    long intervalMillis =
        Math.max(1, port.settings().snapshotTimeout().toMillis() / NOTICES_PER_TIMEOUT);
    try {
      Future<?> notices =
          eventLoop.scheduleAtFixedRate(
              () -> source(node).request(notice), 0, intervalMillis, TimeUnit.MILLISECONDS);
      return () -> notices.cancel(false);
    } catch (RejectedExecutionException closing) {
      return InstallNotice.NONE;
    }
  }

  private static boolean isLeaderOrCandidateRequest(Message request) {
    return request instanceof RpcRequests.AppendEntriesRequest
        || request instanceof RpcRequests.RequestVoteRequest
        || request instanceof RpcRequests.InstallSnapshotRequest;
  }

  /** See {@code JRaftHost.suppressLeaderRequests}. */
  public void suppressLeaderRequests(boolean suppress) {
    if (suppressed != suppress) {
      suppressed = suppress;
      if (suppress) {
        LOG.warn(
            "Raft log writes are stuck; sending no requests as leader or candidate, so that other"
                + " nodes take over leadership node={}",
            self);
      } else {
        LOG.info(
            "Raft log writes recovered; sending requests as leader or candidate again node={}",
            self);
      }
    }
  }

  /** Announces this node's incremented start counter to all connected nodes. */
  public void announceStart() {
    links.values().forEach(PeerLink::resendHello);
  }

  private PeerLink link(NodeId peer) {
    return links.computeIfAbsent(
        peer, node -> new PeerLink(self, node, port, bootstrap, observer, () -> onConnected(node)));
  }

  /** Registers replicators, which resume as soon as an unreachable node can be reached again. */
  public void register(ReplicatorGroup group) {
    replicators.add(group);
  }

  public void unregister(ReplicatorGroup group) {
    replicators.remove(group);
  }

  private void onConnected(NodeId node) {
    try {
      workers
          .unorderedExecutor()
          .execute(() -> replicators.forEach(r -> r.checkReplicator(PeerNames.peer(node), true)));
    } catch (RejectedExecutionException closing) {
      // The transport is closing, so no replicator has to resume.
    }
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
    channels.close().awaitUninterruptibly(SHUTDOWN_TIMEOUT_MILLIS);
    workers.close();
    eventLoop
        .shutdownGracefully(QUIET_PERIOD_MILLIS, SHUTDOWN_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(2 * SHUTDOWN_TIMEOUT_MILLIS);
  }
}
