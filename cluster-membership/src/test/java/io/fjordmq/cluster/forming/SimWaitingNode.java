package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimNetwork.Address;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.cluster.peer.AddressCalls;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One process of a node that starts with {@code expectNodes}: it waits for a cluster, creates or
 * joins it, and then responds to hellos. A joining node responds once a member has.
 */
final class SimWaitingNode implements HelloClient, AddressCalls, FormingStore {
  private static final String SERVICE = "forming";
  private static final String RESPONSES = "responses";
  private static final String STATE = "state";
  private static final String IDENTITY = "identity";
  private static final String METADATA = "metadata";

  private final FormingWorld world;
  private final SimHost host;
  private final NodeAddress address;
  private final int expectNodes;
  private final Map<Long, CompletableFuture<Object>> pending = new HashMap<>();
  private @Nullable ClusterFormation formation;
  private String progress = "";
  private long calls;

  /** A request, or the response to it. */
  private record Message(long call, NodeAddress to, Object body) {}

  private record Failure(String reason) {}

  SimWaitingNode(FormingWorld world, SimHost host, NodeAddress address, int expectNodes) {
    this.world = world;
    this.host = host;
    this.address = address;
    this.expectNodes = expectNodes;
    host.network().listen(new Address(host.node(), SERVICE), this::onRequest);
    host.network().listen(new Address(host.node(), RESPONSES), this::onResponse);
  }

  static @Nullable FormingState stateOn(SimDisk disk) {
    return (FormingState) disk.get(STATE);
  }

  static @Nullable NodeIdentity identityOn(SimDisk disk) {
    return (NodeIdentity) disk.get(IDENTITY);
  }

  static boolean hasMetadata(SimDisk disk) {
    return disk.get(METADATA) != null;
  }

  String progress() {
    return progress;
  }

  /** Whether it is a member of a cluster. */
  boolean isMember() {
    return hasMetadata(host.disk());
  }

  void start() {
    NodeIdentity stored = identityOn(host.disk());
    if (stored == null) {
      form();
    } else {
      enter(stored);
    }
  }

  private void form() {
    FormationOptions options =
        new FormationOptions(
            "Test", expectNodes, address, Duration.ofSeconds(2), Duration.ofSeconds(1));
    ClusterFormation started =
        new ClusterFormation(
            options,
            new ClusterFormation.Environment(
                () -> CompletableFuture.completedFuture(world.seedsOf(host.node())),
                this,
                world.defects().calls(this),
                world.defects().store(this, host.disk()),
                host.machine().wall(),
                world.simulation().random()),
            SimTimers.of(host.process()),
            text -> progress = text);
    formation = started;
    started.outcome().whenComplete(this::onOutcome);
    started.begin();
  }

  private void onOutcome(@Nullable FormationOutcome outcome, @Nullable Throwable failure) {
    if (!host.process().isAlive()) {
      return;
    }
    if (outcome instanceof FormationOutcome.Founded founded) {
      enter(founded.identity());
    } else if (outcome instanceof FormationOutcome.Found found) {
      enter(new NodeIdentity(found.node(), found.replies().get(0).clusterId()));
    } else {
      throw new AssertionError("a waiting node failed", failure);
    }
  }

  /** Continues with an identity: the founder creates the cluster, another node joins it. */
  private void enter(NodeIdentity identity) {
    formation = null;
    if (world.crashesAt(host.node())) {
      return;
    }
    host.disk().put(IDENTITY, identity);
    host.disk().syncNow();
    FormingState state = stateOn(host.disk());
    if (hasMetadata(host.disk())) {
      deleteState();
    } else if (state != null && identity.clusterId().equals(state.clusterId())) {
      createMetadata();
    } else {
      deleteState();
      join(identity);
    }
  }

  private void join(NodeIdentity identity) {
    for (NodeAddress seed : world.seedsOf(host.node())) {
      if (!seed.equals(address)) {
        sendHello(seed, Hello.ANONYMOUS, Duration.ofSeconds(2))
            .thenAccept(
                reply -> {
                  if (reply.clusterId().equals(identity.clusterId()) && !isMember()) {
                    createMetadata();
                  }
                });
      }
    }
    host.process()
        .schedule(
            3_000,
            () -> {
              if (!isMember()) {
                join(identity);
              }
            });
  }

  private void createMetadata() {
    if (!world.crashesAt(host.node())) {
      host.disk().put(METADATA, true);
      host.disk().syncNow();
      if (!world.crashesAt(host.node())) {
        deleteState();
      }
    }
  }

  private void deleteState() {
    host.disk().remove(STATE);
    host.disk().syncNow();
  }

  @Override
  public Optional<FormingState> load() {
    return Optional.ofNullable(stateOn(host.disk()));
  }

  @Override
  public void save(FormingState state) throws IOException {
    save(state, true);
  }

  void save(FormingState state, boolean sync) throws IOException {
    if (world.crashesAt(host.node())) {
      throw new IOException("crashed before the state was written");
    }
    host.disk().put(STATE, state);
    if (sync) {
      host.disk().syncNow();
    }
    if (world.crashesAt(host.node())) {
      throw new IOException("crashed after the state was written");
    }
  }

  @Override
  public CompletableFuture<HelloReply> sendHello(NodeAddress to, Hello hello, Duration timeout) {
    return send(to, hello, timeout, HelloReply.class::cast);
  }

  @Override
  public CompletableFuture<byte[]> ask(
      NodeAddress to, String service, byte[] request, Duration timeout) {
    return send(to, request, timeout, byte[].class::cast);
  }

  private <T> CompletableFuture<T> send(
      NodeAddress to, Object body, Duration timeout, Function<Object, T> type) {
    CompletableFuture<Object> response = new CompletableFuture<>();
    long call = ++calls;
    NodeId slot = world.addresses().find(to);
    if (slot == null || !host.process().isAlive()) {
      response.completeExceptionally(
          new PeerException(PeerException.Kind.NOT_SENT, to + " cannot be reached"));
    } else {
      pending.put(call, response);
      host.network()
          .send(
              new Address(host.node(), RESPONSES),
              new Address(slot, SERVICE),
              new Message(call, to, body));
      host.process()
          .schedule(timeout.toMillis(), () -> complete(call, new Failure(to + " did not respond")));
    }
    return response.thenApply(type);
  }

  private void complete(long call, Object body) {
    CompletableFuture<Object> response = pending.remove(call);
    if (response != null && body instanceof Failure failure) {
      response.completeExceptionally(
          new PeerException(PeerException.Kind.NO_RESPONSE, failure.reason));
    } else if (response != null) {
      response.complete(body);
    }
  }

  private void onResponse(Address from, Object message) {
    host.process().execute(() -> complete(((Message) message).call, ((Message) message).body));
  }

  private void onRequest(Address from, Object message) {
    Message request = (Message) message;
    if (request.to.equals(address)) {
      host.process().execute(() -> respond(from, request));
    }
  }

  private void respond(Address from, Message request) {
    ClusterFormation waiting = formation;
    if (request.body instanceof byte[] bytes && waiting != null) {
      waiting
          .handle(bytes)
          .whenComplete(
              (response, failure) ->
                  reply(from, request, failure == null ? response : new Failure("" + failure)));
    } else if (request.body instanceof Hello && isMember()) {
      reply(from, request, helloReply());
    } else {
      reply(from, request, new Failure(address + " is not what you are looking for"));
    }
  }

  private void reply(Address to, Message request, Object body) {
    if (host.process().isAlive()) {
      host.network()
          .send(new Address(host.node(), SERVICE), to, new Message(request.call, address, body));
    }
  }

  private HelloReply helloReply() {
    NodeIdentity identity = identityOn(host.disk());
    if (identity == null) {
      throw new AssertionError("a member without identity");
    }
    return new HelloReply(
        identity.clusterId(),
        "Test",
        identity.node(),
        StartStamp.NONE,
        address,
        Set.of(identity.node()),
        Set.of(),
        null,
        Map.of(),
        0,
        1);
  }

  List<NodeAddress> seeds() {
    return world.seedsOf(host.node());
  }

  SimDisk disk() {
    return host.disk();
  }
}
