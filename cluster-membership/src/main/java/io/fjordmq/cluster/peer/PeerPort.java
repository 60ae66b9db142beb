package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.AddressBook;
import io.fjordmq.cluster.tls.ClusterTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster port of this node: calls to and from other nodes over gRPC. Thread-safe.
 *
 * <p>Each node opens one connection to every node that it calls.
 */
public final class PeerPort implements PeerNetwork, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerPort.class);

  /** Interval between checks for timeouts while a node has yet to respond. */
  private static final long TICK_MILLIS = 50;

  private final NodeIdentity self;
  private final AddressBook addresses;
  private final PeerSettings settings;
  private final StartFence fence;
  private final PeerChannels channels;
  private final PeerServer peerServer;
  private final Map<NodeId, NodeLink> links = new ConcurrentHashMap<>();
  private @Nullable GrpcServer grpcServer;
  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile boolean closed;

  private PeerPort(
      NodeIdentity self,
      AddressBook addresses,
      PeerSettings settings,
      StartFence fence,
      PeerChannels channels) {
    this.fence = fence;
    this.self = self;
    this.addresses = addresses;
    this.settings = settings;
    this.channels = channels;
    this.peerServer =
        new PeerServer(self.clusterId(), self.node(), settings, fence, this::onConnectedFrom);
  }

  /**
   * Opens the cluster port.
   *
   * @param bind the address to listen on; port 0 selects a free port
   * @param addresses the cluster port addresses of other nodes
   * @param tls null for plaintext
   * @param fence decides which starts of other nodes may connect
   * @throws IOException if the port cannot be opened or a TLS file cannot be used; the message
   *     explains why
   */
  public static PeerPort open(
      NodeIdentity self,
      InetSocketAddress bind,
      AddressBook addresses,
      @Nullable ClusterTls tls,
      PeerSettings settings,
      StartFence fence)
      throws IOException {
    PeerChannels channels = PeerChannels.open(settings, tls);
    PeerPort port = new PeerPort(self, addresses, settings, fence, channels);
    try {
      port.grpcServer = GrpcServer.open(bind, tls, settings, channels, port.peerServer);
    } catch (IOException e) {
      port.close();
      throw e;
    }
    LOG.info(
        "Listening for other nodes address={} security={}",
        port.boundAddress(),
        tls == null ? "plaintext" : "TLS");
    return port;
  }

  /** Returns the address that the port listens on. */
  public InetSocketAddress boundAddress() {
    if (grpcServer != null) {
      return grpcServer.boundAddress();
    }
    throw new IllegalStateException("the cluster port is not open");
  }

  @Override
  public StartFence fence() {
    return fence;
  }

  @Override
  public void setHelloHandler(Function<Hello, HelloReply> handler) {
    peerServer.setHelloHandler(handler);
  }

  @Override
  public void serve(String service, Handler handler) {
    peerServer.serve(service, handler);
  }

  /**
   * @throws IllegalArgumentException if the request is larger than {@link
   *     PeerSettings#maxMessageBytes}, or the node is this one
   */
  @Override
  public CompletableFuture<byte[]> call(
      NodeId node, String service, byte[] request, Duration timeout) {
    if (request.length > settings.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "request of %d bytes for '%s' exceeds the limit of %d bytes (maxMessageBytes)"
              .formatted(request.length, service, settings.maxMessageBytes()));
    }
    if (node.equals(self.node())) {
      throw new IllegalArgumentException(
          "node " + node + " cannot call '" + service + "' on itself");
    }
    return links.computeIfAbsent(node, this::link).call(service, request, timeout);
  }

  private void onConnectedFrom(NodeId node) {
    NodeLink link = links.get(node);
    if (link != null) {
      link.endBackoff();
    }
  }

  private NodeLink link(NodeId node) {
    NodeLink link =
        new NodeLink(self.clusterId(), self.node(), node, addresses, channels, settings, fence);
    if (closed) {
      link.close();
    } else if (ticking.compareAndSet(false, true)) { // avoids periodic wake-ups on a single node
      scheduleTick(TICK_MILLIS);
    }
    return link;
  }

  private void scheduleTick(long millis) {
    try {
      channels.eventLoops().schedule(this::tick, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closing) {
      LOG.debug("Stopped checking for timeouts: the cluster port is closed");
    }
  }

  /**
   * Returns the interval between checks while no response is outstanding, so that only pings are
   * due.
   */
  private long idleTickMillis() {
    return Math.max(TICK_MILLIS, settings.pingInterval().toMillis() * 2 / 5);
  }

  @Override
  public CompletableFuture<HelloReply> sendHello(
      NodeAddress address, Hello hello, Duration timeout) {
    return channels.sendHello(address, hello, timeout);
  }

  private void tick() {
    long nanos = System.nanoTime();
    boolean waiting = false;
    for (NodeLink link : links.values()) {
      try {
        waiting |= link.tick(nanos);
      } catch (RuntimeException e) { // otherwise the task would stop and calls would not time out
        LOG.error(
            "Failed to check pending calls for timeouts; retrying at the next interval node={}",
            link.peer(),
            e);
      }
    }
    if (!closed) {
      scheduleTick(waiting ? TICK_MILLIS : idleTickMillis());
    }
  }

  /** Closes the port; pending calls fail. Blocks until no handler is running. */
  @Override
  public void close() {
    closed = true;
    links.values().forEach(NodeLink::close);
    if (grpcServer != null) {
      grpcServer.close();
    }
    channels.close();
  }
}
