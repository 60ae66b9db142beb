package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.AddressBook;
import io.fjordmq.cluster.peer.PeerException.Kind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends calls to one other node, over one connection at a time. Connects on demand and reconnects
 * after a connection is lost. After failed attempts it backs off until the other node connects to
 * this one. Thread-safe.
 */
final class NodeLink implements ClientStream.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLink.class);

  private final String clusterId;
  private final NodeId self;
  private final NodeId peer;
  private final AddressBook addresses;
  private final PeerChannels channels;
  private final PeerSettings settings;
  private final StartFence fence;

  private @Nullable ClientStream current;
  private @Nullable InetSocketAddress address;
  private long backoffNanos;
  private long backoffUntilNanos;
  private String lastFailure = "";
  private boolean reported;
  private boolean closed;

  NodeLink(
      String clusterId,
      NodeId self,
      NodeId peer,
      AddressBook addresses,
      PeerChannels channels,
      PeerSettings settings,
      StartFence fence) {
    this.fence = fence;
    this.clusterId = clusterId;
    this.self = self;
    this.peer = peer;
    this.addresses = addresses;
    this.channels = channels;
    this.settings = settings;
  }

  NodeId peer() {
    return peer;
  }

  CompletableFuture<byte[]> call(String service, byte[] request, Duration timeout) {
    long nanos = System.nanoTime();
    ClientStream stream;
    try {
      stream = stream(nanos);
    } catch (PeerException e) {
      return CompletableFuture.failedFuture(e);
    }
    return stream.call(service, request, timeout, nanos);
  }

  private synchronized ClientStream stream(long nanos) {
    if (current != null && !current.isEnded()) {
      return current;
    }
    if (closed) {
      throw new PeerException(Kind.NOT_SENT, "the cluster port of this node is closed");
    }
    if (fence.fenceReason() != null) {
      throw new PeerException(Kind.NOT_SENT, "this node is fenced");
    }
    if (backoffNanos > 0 && nanos - backoffUntilNanos < 0) {
      throw new PeerException(
          Kind.NOT_SENT, "node " + peer + " at " + address + " cannot be reached", lastFailure);
    }
    InetSocketAddress found = addresses.addressOf(peer);
    if (found == null) {
      throw new PeerException(Kind.NOT_SENT, "no address of node " + peer + " is known");
    }
    address = found;
    ClientStream stream =
        new ClientStream(peer, channels.newChannel(found), settings, fence, this, nanos);
    current = stream;
    StartStamp own = fence.ownStart();
    stream.open(PeerProtocol.opening(clusterId, self, peer, own), own);
    return stream;
  }

  /**
   * Ends the reconnect backoff, because the peer has connected to this node and is therefore
   * running; the next call connects at once. Every SUBSCRIBE waits for all counted nodes, including
   * one that has just restarted. That node connects to all others as soon as it is counted, so that
   * no backoff from its restart delays the SUBSCRIBE.
   */
  synchronized void endBackoff() {
    backoffNanos = 0;
  }

  /** See {@link ClientStream#tick}. */
  boolean tick(long nanos) {
    ClientStream stream;
    synchronized (this) {
      stream = current;
    }
    return stream != null && !stream.isEnded() && stream.tick(nanos);
  }

  @Override
  public void onAccepted() {
    InetSocketAddress currentAddress;
    synchronized (this) {
      currentAddress = address;
      backoffNanos = 0;
      reported = false;
    }
    LOG.info("Connected to a node node={} address={}", peer, currentAddress);
  }

  @Override
  public void onEnded(ClientStream stream, String reason, boolean wasAccepted) {
    boolean first;
    InetSocketAddress currentAddress;
    synchronized (this) {
      if (closed) {
        return;
      }
      if (current == stream) {
        current = null;
      }
      currentAddress = address;
      lastFailure = reason;
      first = wasAccepted || !reported;
      reported = true;
      if (!wasAccepted) {
        backoffNanos =
            Math.max(
                settings.minReconnectBackoff().toNanos(),
                Math.min(2 * backoffNanos, settings.maxReconnectBackoff().toNanos()));
        backoffUntilNanos = System.nanoTime() + backoffNanos;
      }
    }
    if (wasAccepted) {
      LOG.warn("Connection to a node lost: {} node={} address={}", reason, peer, currentAddress);
    } else if (first) {
      LOG.warn(
          "Cannot reach a node; retrying: {} node={} address={}", reason, peer, currentAddress);
    }
  }

  void close() {
    ClientStream stream;
    synchronized (this) {
      closed = true;
      stream = current;
    }
    if (stream != null) {
      stream.end("the cluster port of this node is closed");
    }
  }
}
