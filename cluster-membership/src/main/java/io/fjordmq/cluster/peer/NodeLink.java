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
 * Calls to one other node, over one connection at a time. Connects on demand and reconnects after a
 * loss. After failed attempts it backs off, until the other node connects to this one. Thread-safe.
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
  private long pauseNanos;
  private long pauseUntilNanos;
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

  CompletableFuture<byte[]> ask(String service, byte[] request, Duration timeout) {
    long nanos = System.nanoTime();
    ClientStream stream;
    try {
      stream = stream(nanos);
    } catch (PeerException e) {
      return CompletableFuture.failedFuture(e);
    }
    return stream.ask(service, request, timeout, nanos);
  }

  private synchronized ClientStream stream(long nanos) {
    if (current != null && !current.isEnded()) {
      return current;
    }
    if (closed) {
      throw new PeerException(Kind.NOT_SENT, "the cluster port of this node is closed");
    }
    if (fence.fencedBecause() != null) {
      throw new PeerException(Kind.NOT_SENT, "this node is fenced");
    }
    if (pauseNanos > 0 && nanos - pauseUntilNanos < 0) {
      throw new PeerException(
          Kind.NOT_SENT, "node " + peer + " at " + address + " cannot be reached: " + lastFailure);
    }
    InetSocketAddress found = addresses.addressOf(peer);
    if (found == null) {
      throw new PeerException(Kind.NOT_SENT, "no address of node " + peer + " is known");
    }
    address = found;
    ClientStream made =
        new ClientStream(peer, channels.channel(found), settings, fence, this, nanos);
    current = made;
    StartStamp own = fence.own();
    made.open(PeerProtocol.opening(clusterId, self, peer, own), own);
    return made;
  }

  /**
   * Ends the reconnect pause: the peer has connected to this node, so it is running, and the next
   * call connects at once. Every SUBSCRIBE waits for a node that has just been counted again. That
   * node then connects to all others, so no pause from its restart delays the SUBSCRIBE.
   */
  synchronized void endPause() {
    pauseNanos = 0;
  }

  void tick(long nanos) {
    ClientStream stream;
    synchronized (this) {
      stream = current;
    }
    if (stream != null && !stream.isEnded()) {
      stream.tick(nanos);
    }
  }

  @Override
  public void accepted() {
    InetSocketAddress where;
    synchronized (this) {
      where = address;
      pauseNanos = 0;
      reported = false;
    }
    LOG.info("Connected to node node={} address={}", peer, where);
  }

  @Override
  public void ended(ClientStream stream, String why, boolean wasAccepted) {
    boolean first;
    InetSocketAddress where;
    synchronized (this) {
      if (closed) {
        return;
      }
      if (current == stream) {
        current = null;
      }
      where = address;
      lastFailure = why;
      first = wasAccepted || !reported;
      reported = true;
      if (!wasAccepted) {
        pauseNanos =
            Math.max(
                settings.minReconnectPause().toNanos(),
                Math.min(2 * pauseNanos, settings.maxReconnectPause().toNanos()));
        pauseUntilNanos = System.nanoTime() + pauseNanos;
      }
    }
    if (wasAccepted) {
      LOG.warn("Connection to node lost: {} node={} address={}", why, peer, where);
    } else if (first) {
      LOG.warn("Cannot reach node, retrying: {} node={} address={}", why, peer, where);
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
