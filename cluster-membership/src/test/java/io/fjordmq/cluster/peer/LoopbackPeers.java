package io.fjordmq.cluster.peer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls between the nodes of a test, in memory, with the guarantees of {@link PeerCalls}: the
 * requests from one node to another are handled in order as long as their connection lasts; when it
 * breaks, all pending calls fail, and none of them is handled afterwards.
 *
 * <p>{@link #immediate} delivers synchronously and may be used by many threads: a request made
 * while the previous one of the same connection is being handled is handled when that returns. A
 * cut takes effect immediately. Calls never time out, but {@link #cut} or {@link Node#stop} fails
 * those without a response.
 *
 * <p>{@link #simulated} shares delays, losses and partitions with simulated Raft. A loss breaks the
 * connection, as it eventually does with TCP; until then nothing arrives.
 */
public final class LoopbackPeers {
  private record Link(NodeId from, NodeId to) {}

  private final PeerWire wire;
  private final Map<NodeId, Node> nodes = new ConcurrentHashMap<>();
  private final Map<Link, Connection> connections = new ConcurrentHashMap<>();

  private LoopbackPeers(PeerWire wire) {
    this.wire = wire;
  }

  /** Creates peers that deliver on the caller's stack; see the class comment. */
  public static LoopbackPeers immediate() {
    return new LoopbackPeers(new PeerWire.Immediate());
  }

  /** Creates peers that deliver in virtual time. */
  public static LoopbackPeers simulated(SimNetwork network) {
    return new LoopbackPeers(new PeerWire.Simulated(network));
  }

  /** Starts a node whose handlers and futures run on the calling thread. */
  public Node start(NodeId node) {
    return start(node, Runnable::run);
  }

  /**
   * Starts a node, or restarts it.
   *
   * @param threads runs its handlers and completes its futures, in order
   */
  public Node start(NodeId node, Executor threads) {
    Node started = new Node(node, threads);
    Node before = nodes.put(node, started);
    if (before != null) {
      before.stop();
    }
    return started;
  }

  /** Blocks this direction for requests and responses. */
  public void cut(NodeId from, NodeId to) {
    wire.cut(from, to);
    if (wire instanceof PeerWire.Immediate) {
      breakConnection(new Link(from, to), "the connection was cut");
      breakConnection(new Link(to, from), "the connection was cut");
    }
  }

  /** Blocks all traffic between this node and the others. */
  public void isolate(NodeId node) {
    for (NodeId other : nodes.keySet()) {
      if (!other.equals(node)) {
        cut(node, other);
        cut(other, node);
      }
    }
  }

  /** Removes all cuts. */
  public void heal() {
    wire.heal();
  }

  private void breakConnection(Link link, String reason) {
    Connection connection = connections.remove(link);
    if (connection != null) {
      connection.end(reason);
    }
  }

  /** One process of a node. Its address is its name, with any port. */
  public final class Node implements PeerNetwork {
    private static final String HELLO = "hello";

    private final NodeId self;
    private final Executor threads;
    private final Map<String, Handler> services = new ConcurrentHashMap<>();
    private final StartFence fence;
    private volatile boolean ended;

    private Node(NodeId self, Executor threads) {
      this.fence = StartFence.inMemory(self, StartStamp.NONE);
      this.self = self;
      this.threads = threads;
    }

    @Override
    public CompletableFuture<byte[]> call(
        NodeId node, String service, byte[] request, Duration timeout) {
      if (node.equals(self)) {
        throw new IllegalArgumentException(self + " calls itself");
      }
      CompletableFuture<byte[]> response = new CompletableFuture<>();
      if (ended) {
        response.completeExceptionally(new PeerException(Kind.NOT_SENT, self + " has ended"));
        return response;
      }
      wire.schedule(
          timeout,
          () ->
              fail(
                  response,
                  Kind.NO_RESPONSE,
                  node + " did not respond to '" + service + "' in time"));
      connections
          .computeIfAbsent(new Link(self, node), Connection::new)
          .send(this, new Call(service, request, response));
      return response;
    }

    @Override
    public void serve(String service, Handler handler) {
      if (services.putIfAbsent(service, handler) != null) {
        throw new IllegalStateException("'" + service + "' already has a handler");
      }
    }

    @Override
    public CompletableFuture<HelloReply> sendHello(
        NodeAddress address, Hello hello, Duration timeout) {
      NodeId there = new NodeId(address.host());
      return there.equals(self)
          ? CompletableFuture.failedFuture(new PeerException(Kind.NOT_SENT, "it is this node"))
          : call(there, HELLO, PeerProtocol.encode(hello).toByteArray(), timeout)
              .thenApply(LoopbackPeers::helloReply);
    }

    @Override
    public StartFence fence() {
      return fence;
    }

    @Override
    public void setHelloHandler(Function<Hello, HelloReply> handler) {
      serve(
          HELLO,
          (from, request) ->
              CompletableFuture.completedFuture(
                  PeerProtocol.encode(
                          handler.apply(hello(request)), PeerProtocol.VERSIONS.highest())
                      .toByteArray()));
    }

    /** Stops the node: it handles no more requests, and its connections break. */
    public void stop() {
      ended = true;
      nodes.remove(self, this);
      for (Link link : List.copyOf(connections.keySet())) {
        if (link.from.equals(self) || link.to.equals(self)) {
          breakConnection(link, self + " has ended");
        }
      }
    }

    private void fail(CompletableFuture<byte[]> response, Kind kind, String reason) {
      if (!response.isDone()) {
        threads.execute(() -> response.completeExceptionally(new PeerException(kind, reason)));
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  private record Call(String service, byte[] request, CompletableFuture<byte[]> response) {}

  /** One direction between two nodes, with its pending calls, until it breaks. */
  private final class Connection {
    private final Link link;
    private final Deque<Call> inFlightCalls = new ArrayDeque<>();
    private final Deque<Call> arrivedCalls = new ArrayDeque<>();
    private final List<Call> pendingCalls = new ArrayList<>();
    private @Nullable Node caller;
    private boolean handling;
    private boolean broken;

    Connection(Link link) {
      this.link = link;
    }

    void send(Node from, Call call) {
      boolean refused;
      synchronized (this) {
        caller = from;
        refused = broken || !nodes.containsKey(link.to);
        if (!refused) {
          pendingCalls.add(call);
          inFlightCalls.add(call);
        }
      }
      if (refused || (wire instanceof PeerWire.Immediate && !wire.passes(link.from, link.to))) {
        connections.remove(link, this);
        synchronized (this) {
          pendingCalls.remove(call);
        }
        from.fail(call.response, Kind.NOT_SENT, link.to + " cannot be reached");
        return;
      }
      wire.carry(
          link.from, link.to, this::onArrival, () -> onConnectionLost("the connection was lost"));
    }

    /**
     * Handles the oldest message in flight, whichever was sent with this event, because messages do
     * not overtake each other.
     */
    private void onArrival() {
      Node to = nodes.get(link.to);
      synchronized (this) {
        Call call = inFlightCalls.poll();
        if (broken || call == null) {
          return;
        }
        arrivedCalls.add(call);
      }
      if (to == null) {
        onConnectionLost(link.to + " has ended");
      } else {
        to.threads.execute(() -> handleArrived(to));
      }
    }

    private void handleArrived(Node to) {
      while (true) {
        Call call;
        synchronized (this) {
          if (handling || broken || to.ended || arrivedCalls.isEmpty()) {
            return;
          }
          handling = true;
          call = arrivedCalls.remove();
        }
        try {
          handle(to, call);
        } finally {
          synchronized (this) {
            handling = false;
          }
        }
      }
    }

    private void handle(Node to, Call call) {
      PeerServices.Handler handler = to.services.get(call.service);
      CompletableFuture<byte[]> response;
      if (handler == null) {
        String reason = "node " + link.to + " does not serve '" + call.service + "'";
        response = CompletableFuture.failedFuture(new IllegalStateException(reason));
      } else {
        try {
          response = handler.handle(link.from, call.request);
        } catch (RuntimeException e) {
          response = CompletableFuture.failedFuture(e);
        }
      }
      response.whenComplete((bytes, failure) -> sendBack(to, call, bytes, failure));
    }

    private void sendBack(
        Node to, Call call, byte @Nullable [] bytes, @Nullable Throwable failure) {
      if (to.ended) {
        return;
      }
      wire.carry(
          link.to,
          link.from,
          () -> onResponse(call, bytes, failure),
          () -> onConnectionLost("the connection was lost"));
    }

    private void onResponse(Call call, byte @Nullable [] bytes, @Nullable Throwable failure) {
      Node from;
      synchronized (this) {
        from = caller;
        if (broken || from == null || !pendingCalls.remove(call)) {
          return;
        }
      }
      if (bytes != null) {
        from.threads.execute(() -> call.response.complete(bytes));
      } else {
        from.fail(call.response, Kind.REFUSED, reason(failure));
      }
    }

    private void onConnectionLost(String reason) {
      connections.remove(link, this);
      end(reason);
    }

    void end(String reason) {
      List<Call> lost;
      Node from;
      synchronized (this) {
        if (broken) {
          return;
        }
        broken = true;
        from = caller;
        lost = List.copyOf(pendingCalls);
        pendingCalls.clear();
        inFlightCalls.clear();
        arrivedCalls.clear();
      }
      if (from != null) {
        lost.forEach(call -> from.fail(call.response, Kind.NO_RESPONSE, link.to + ": " + reason));
      }
    }
  }

  private static Hello hello(byte[] bytes) {
    try {
      return PeerProtocol.decode(HelloMessage.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static HelloReply helloReply(byte[] bytes) {
    try {
      return PeerProtocol.decode(HelloReplyMessage.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof java.util.concurrent.CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause == null ? "no response" : String.valueOf(cause.getMessage());
  }
}
