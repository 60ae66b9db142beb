package io.fjordmq.cluster.peer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.IntroductionMessage;
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
 * Calls among the nodes of one test, in memory, with the promises of {@link PeerCalls}: the
 * requests of one node to another are handled in order as long as their connection lasts; when it
 * breaks everything unanswered fails, and nothing of it is handled afterwards.
 *
 * <p>{@link #immediate} does everything at once and may be used by many threads: a request that is
 * made while the same connection's last one is being handled is handled when that returns. A cut
 * shows at once. Timeouts never come, but an answer that is never given can be ended by {@link
 * #cut} or {@link Node#end}.
 *
 * <p>{@link #simulated} shares delays, losses and cuts with simulated Raft. A loss breaks the
 * connection, as it does to TCP in the end; until then it is silent.
 */
public final class LoopbackPeers {
  private record Link(NodeId from, NodeId to) {}

  private final PeerWire wire;
  private final Map<NodeId, Node> nodes = new ConcurrentHashMap<>();
  private final Map<Link, Connection> connections = new ConcurrentHashMap<>();

  private LoopbackPeers(PeerWire wire) {
    this.wire = wire;
  }

  /** Calls on the caller's stack; see above. */
  public static LoopbackPeers immediate() {
    return new LoopbackPeers(new PeerWire.Immediate());
  }

  /** Calls in virtual time. */
  public static LoopbackPeers simulated(SimNetwork network) {
    return new LoopbackPeers(new PeerWire.Simulated(network));
  }

  /** Starts a node whose handlers and futures run on the thread that causes it. */
  public Node start(NodeId node) {
    return start(node, Runnable::run);
  }

  /**
   * Starts a node, or the next life of one.
   *
   * @param threads runs its handlers and completes its futures; in order
   */
  public Node start(NodeId node, Executor threads) {
    Node life = new Node(node, threads);
    Node before = nodes.put(node, life);
    if (before != null) {
      before.end();
    }
    return life;
  }

  /** Nothing passes in this direction any more: neither requests nor answers. */
  public void cut(NodeId from, NodeId to) {
    wire.cut(from, to);
    if (wire instanceof PeerWire.Immediate) {
      breakConnection(new Link(from, to), "the connection was cut");
      breakConnection(new Link(to, from), "the connection was cut");
    }
  }

  /** Nothing passes between this node and the others. */
  public void isolate(NodeId node) {
    for (NodeId other : nodes.keySet()) {
      if (!other.equals(node)) {
        cut(node, other);
        cut(other, node);
      }
    }
  }

  /** Undoes all cuts. */
  public void heal() {
    wire.heal();
  }

  private void breakConnection(Link link, String why) {
    Connection connection = connections.remove(link);
    if (connection != null) {
      connection.end(why);
    }
  }

  /** One life of a node. Its address is its name, with any port. */
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
    public CompletableFuture<byte[]> ask(
        NodeId node, String service, byte[] request, Duration timeout) {
      if (node.equals(self)) {
        throw new IllegalArgumentException(self + " asks itself");
      }
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      if (ended) {
        answer.completeExceptionally(new PeerException(Kind.NOT_SENT, self + " has ended"));
        return answer;
      }
      wire.after(
          timeout,
          () -> fail(answer, Kind.NO_ANSWER, node + " did not answer '" + service + "' in time"));
      connections
          .computeIfAbsent(new Link(self, node), Connection::new)
          .send(this, new Call(service, request, answer));
      return answer;
    }

    @Override
    public void serve(String service, Handler handler) {
      if (services.putIfAbsent(service, handler) != null) {
        throw new IllegalStateException("'" + service + "' is served already");
      }
    }

    @Override
    public CompletableFuture<HelloReply> greet(NodeAddress address, Hello hello, Duration timeout) {
      NodeId there = new NodeId(address.host());
      return there.equals(self)
          ? CompletableFuture.failedFuture(new PeerException(Kind.NOT_SENT, "it is this node"))
          : ask(there, HELLO, PeerProtocol.encode(hello).toByteArray(), timeout)
              .thenApply(LoopbackPeers::introduction);
    }

    @Override
    public StartFence fence() {
      return fence;
    }

    @Override
    public void answerHellosWith(Function<Hello, HelloReply> answer) {
      serve(
          HELLO,
          (from, request) ->
              CompletableFuture.completedFuture(
                  PeerProtocol.encode(answer.apply(hello(request)), PeerProtocol.VERSIONS.highest())
                      .toByteArray()));
    }

    /** The node is gone: it handles nothing more, and its connections break. */
    public void end() {
      ended = true;
      nodes.remove(self, this);
      for (Link link : List.copyOf(connections.keySet())) {
        if (link.from.equals(self) || link.to.equals(self)) {
          breakConnection(link, self + " has ended");
        }
      }
    }

    private void fail(CompletableFuture<byte[]> answer, Kind kind, String why) {
      if (!answer.isDone()) {
        threads.execute(() -> answer.completeExceptionally(new PeerException(kind, why)));
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  private record Call(String service, byte[] request, CompletableFuture<byte[]> answer) {}

  /** One way from a node to another, with the calls on it, until it breaks. */
  private final class Connection {
    private final Link link;
    private final Deque<Call> travelling = new ArrayDeque<>();
    private final Deque<Call> arrived = new ArrayDeque<>();
    private final List<Call> unanswered = new ArrayList<>();
    private @Nullable Node asker;
    private boolean handling;
    private boolean broken;

    Connection(Link link) {
      this.link = link;
    }

    void send(Node from, Call call) {
      boolean refused;
      synchronized (this) {
        asker = from;
        refused = broken || !nodes.containsKey(link.to);
        if (!refused) {
          unanswered.add(call);
          travelling.add(call);
        }
      }
      if (refused || (wire instanceof PeerWire.Immediate && !wire.passes(link.from, link.to))) {
        connections.remove(link, this);
        synchronized (this) {
          unanswered.remove(call);
        }
        from.fail(call.answer, Kind.NOT_SENT, link.to + " cannot be reached");
        return;
      }
      wire.carry(link.from, link.to, this::arrive, () -> dead("the connection was lost"));
    }

    /** One more has arrived: the oldest, whatever was sent with it, for they do not overtake. */
    private void arrive() {
      Node to = nodes.get(link.to);
      synchronized (this) {
        Call call = travelling.poll();
        if (broken || call == null) {
          return;
        }
        arrived.add(call);
      }
      if (to == null) {
        dead(link.to + " has ended");
      } else {
        to.threads.execute(() -> handleArrived(to));
      }
    }

    private void handleArrived(Node to) {
      while (true) {
        Call call;
        synchronized (this) {
          if (handling || broken || to.ended || arrived.isEmpty()) {
            return;
          }
          handling = true;
          call = arrived.remove();
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
      CompletableFuture<byte[]> answer;
      if (handler == null) {
        String why = "node " + link.to + " does not serve '" + call.service + "'";
        answer = CompletableFuture.failedFuture(new IllegalStateException(why));
      } else {
        try {
          answer = handler.handle(link.from, call.request);
        } catch (RuntimeException e) {
          answer = CompletableFuture.failedFuture(e);
        }
      }
      answer.whenComplete((bytes, failure) -> sendBack(to, call, bytes, failure));
    }

    private void sendBack(
        Node to, Call call, byte @Nullable [] bytes, @Nullable Throwable failure) {
      if (to.ended) {
        return;
      }
      wire.carry(
          link.to,
          link.from,
          () -> answered(call, bytes, failure),
          () -> dead("the connection was lost"));
    }

    private void answered(Call call, byte @Nullable [] bytes, @Nullable Throwable failure) {
      Node from;
      synchronized (this) {
        from = asker;
        if (broken || from == null || !unanswered.remove(call)) {
          return;
        }
      }
      if (bytes != null) {
        from.threads.execute(() -> call.answer.complete(bytes));
      } else {
        from.fail(call.answer, Kind.REFUSED, reason(failure));
      }
    }

    private void dead(String why) {
      connections.remove(link, this);
      end(why);
    }

    void end(String why) {
      List<Call> lost;
      Node from;
      synchronized (this) {
        if (broken) {
          return;
        }
        broken = true;
        from = asker;
        lost = List.copyOf(unanswered);
        unanswered.clear();
        travelling.clear();
        arrived.clear();
      }
      if (from != null) {
        lost.forEach(call -> from.fail(call.answer, Kind.NO_ANSWER, link.to + ": " + why));
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

  private static HelloReply introduction(byte[] bytes) {
    try {
      return PeerProtocol.decode(IntroductionMessage.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof java.util.concurrent.CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause == null ? "no answer" : String.valueOf(cause.getMessage());
  }
}
