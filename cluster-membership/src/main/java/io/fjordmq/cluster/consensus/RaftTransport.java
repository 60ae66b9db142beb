package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.ReloadingContext;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
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
 * Carries the Raft messages of all groups of this node: one connection to each other node, made by
 * who asks. {@link RaftFrame} draws the frames, {@link RaftRequests} lists what may be asked.
 */
final class RaftTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RaftTransport.class);
  private static final WriteBufferWaterMark SOCKET_BUFFER =
      new WriteBufferWaterMark(256 << 10, 1 << 20);
  private static final long QUIET_MILLIS = 0;
  private static final long STOP_MILLIS = 5_000;
  private static final int NOTICES_OF_A_TIMEOUT = 6;

  private final NodeId self;
  private final ClusterPort port;
  private final ConsensusObserver observer;
  private final RaftWorkers workers;
  private final RaftRequests requests;
  private final SnapshotExports exports;
  private final EventLoopGroup eventLoop;
  private final Bootstrap bootstrap;
  private final @Nullable SslContext askingTls;
  private final @Nullable SslContext answeringTls;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<NodeId, PeerLink> links = new ConcurrentHashMap<>();
  private final Set<ReplicatorGroup> replicators = ConcurrentHashMap.newKeySet();
  private final @Nullable InetSocketAddress boundAddress;
  private volatile boolean silent;

  /**
   * @throws ConsensusException ({@code FAILED}) if the port cannot be opened, or the files for TLS
   *     cannot be used
   */
  RaftTransport(NodeId self, ClusterPort port, SnapshotExports exports, ConsensusObserver observer)
      throws ConsensusException {
    this.observer = observer;
    this.exports = exports;
    this.self = self;
    this.port = port;
    eventLoop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("raft-io-" + self, true), NioIoHandler.newFactory());
    ClusterTls tls = port.tls();
    try {
      askingTls =
          tls == null
              ? null
              : ReloadingContext.open(
                  "Raft to other nodes", tls, () -> tls.asking().build(), eventLoop);
      answeringTls =
          tls == null
              ? null
              : ReloadingContext.open(
                  "Raft of other nodes", tls, () -> tls.answering().build(), eventLoop);
    } catch (IOException e) {
      eventLoop.shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS);
      throw new ConsensusException(Kind.FAILED, String.valueOf(e.getMessage()), e);
    }
    workers = new RaftWorkers(self, port.settings());
    requests = new RaftRequests(workers, exports, observer);
    long patience = port.settings().snapshotTimeout().toMillis();
    eventLoop.scheduleWithFixedDelay(
        () -> workers.any().execute(exports::expire), patience, patience, TimeUnit.MILLISECONDS);
    bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(NioSocketChannel.class)
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
    SslContext tls = incoming ? answeringTls : askingTls;
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

  private InetSocketAddress listen(InetSocketAddress address) throws ConsensusException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, SOCKET_BUFFER)
            .childHandler(initializer(true))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new ConsensusException(
          Kind.FAILED,
          "the cluster port " + address + " cannot be opened: " + bound.cause().getMessage(),
          bound.cause());
    }
    channels.add(bound.channel());
    return (InetSocketAddress) bound.channel().localAddress();
  }

  /** Where it listens, null if it does not. */
  @Nullable InetSocketAddress boundAddress() {
    return boundAddress;
  }

  RaftWorkers workers() {
    return workers;
  }

  TransportSettings settings() {
    return port.settings();
  }

  boolean isConnected(NodeId peer) {
    return link(peer).isConnected();
  }

  /** Starts to connect if it is not connected. */
  void connect(NodeId peer) {
    link(peer).connect();
  }

  /** Asks another node; answered exactly once, on any thread. */
  void ask(NodeId peer, Message request, long timeoutMillis, OutgoingConnection.Answer answer) {
    if (port.fence().fencedBecause() != null) {
      answer.complete(null, new RemotingException("node " + self + " is fenced"));
      return;
    }
    if (silent && isOfLeaderOrCandidate(request)) {
      answer.complete(null, new RemotingException("node " + self + " waits for its disk"));
      return;
    }
    if (request instanceof RpcRequests.InstallSnapshotRequest install) {
      long patience = port.settings().snapshotTimeout().toMillis();
      link(peer).ask(request, patience, whileItMoves(install.getUri(), answer));
      return;
    }
    link(peer).ask(request, timeoutMillis, answer);
  }

  /** The other node answers once it has installed the copy, however long that takes. */
  private OutgoingConnection.Answer whileItMoves(String uri, OutgoingConnection.Answer answer) {
    SnapshotExchange.Offer offer = SnapshotExchange.offer(uri);
    return new OutgoingConnection.Answer() {
      @Override
      public void complete(@Nullable Message response, @Nullable Exception failure) {
        answer.complete(response, failure);
      }

      @Override
      public boolean isUnderWay() {
        return offer != null && exports.hasMoved(offer.id());
      }
    };
  }

  /** Where to fetch the copies that the node offers. */
  SnapshotSource source(NodeId node) {
    return request -> {
      CompletableFuture<GetFileResponse> part = new CompletableFuture<>();
      ask(
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

  /** Tells the node again and again that its copy is being installed here. */
  InstallNotice announceInstall(NodeId node, long offer) {
    GetFileRequest notice =
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(SnapshotExports.INSTALLING)
            .setOffset(0)
            .setCount(0)
            .build();
    long pause = Math.max(1, port.settings().snapshotTimeout().toMillis() / NOTICES_OF_A_TIMEOUT);
    try {
      Future<?> notices =
          eventLoop.scheduleAtFixedRate(
              () -> source(node).ask(notice), 0, pause, TimeUnit.MILLISECONDS);
      return () -> notices.cancel(false);
    } catch (RejectedExecutionException closing) {
      return InstallNotice.NONE;
    }
  }

  private static boolean isOfLeaderOrCandidate(Message request) {
    return request instanceof RpcRequests.AppendEntriesRequest
        || request instanceof RpcRequests.RequestVoteRequest
        || request instanceof RpcRequests.InstallSnapshotRequest;
  }

  /** See {@link JRaftHost#silence}. */
  void silence(boolean now) {
    if (silent != now) {
      silent = now;
      LOG.warn(
          now
              ? "Raft log writes are stuck; not answering peers so that other nodes lead"
              : "Raft log writes recovered; taking part in elections again");
    }
  }

  /** Shows all connected nodes that this node's start was raised. */
  void announceStart() {
    links.values().forEach(PeerLink::greetAgain);
  }

  private PeerLink link(NodeId peer) {
    return links.computeIfAbsent(
        peer, node -> new PeerLink(self, node, port, bootstrap, observer, () -> connected(node)));
  }

  /** The group's replicators that gave up on a node try again as soon as it is reachable. */
  void register(ReplicatorGroup group) {
    replicators.add(group);
  }

  void unregister(ReplicatorGroup group) {
    replicators.remove(group);
  }

  private void connected(NodeId node) {
    try {
      workers
          .any()
          .execute(() -> replicators.forEach(r -> r.checkReplicator(PeerNames.peer(node), true)));
    } catch (RejectedExecutionException closing) {
      // Nobody replicates any more.
    }
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
    channels.close().awaitUninterruptibly();
    workers.close();
    eventLoop
        .shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
  }
}
