package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.session.ClientQueue.Awaited;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An operator's view of a session. */
record SessionView(Session session) implements ConnectedClient {
  @Override
  public String tenant() {
    return session.tenant();
  }

  @Override
  public String clientId() {
    return session.clientId();
  }

  @Override
  public @Nullable String userName() {
    return session.client().userName();
  }

  @Override
  public @Nullable ClientAttributes attributes() {
    long connectedAt = session.connectedAtMillis(); // read first: makes the other fields visible
    if (connectedAt == 0) {
      return null;
    }
    ClientInfo client = session.client();
    ConnectRequest request = session.connection().request();
    InetAddress address = client.address();
    SocketAddress remote = session.connection().peer().remote();
    return new ClientAttributes(
        client.tenant(),
        client.clientId(),
        client.userName(),
        address == null ? "" : address.getHostAddress(),
        remote instanceof InetSocketAddress inet ? inet.getPort() : 0,
        client.listener(),
        client.encrypted(),
        client.protocolLevel(),
        request.keepAliveSeconds(),
        request.cleanStart(),
        request.expirySeconds(),
        session.isPersistent(),
        request.will() != null,
        connectedAt);
  }

  @Override
  public Executor eventLoop() {
    return session.eventLoop();
  }

  // Reads only numbers, flags and what is thread-safe, so that lists of many clients do not delay
  // the messages of their event loops.
  @Override
  public @Nullable ClientState state() {
    if (!session.isOpen()) {
      return null;
    }
    OutboundPublishes outbound = session.parts().existingOutbound();
    return new ClientState(
        outbound == null ? 0 : outbound.window().inflight(),
        OutboundPublishes.limit(session.connection()),
        outbound == null ? 0 : outbound.live().size(),
        outbound == null ? 0 : outbound.live().bytes(),
        session.connection().settings().maxQueuedMessages(),
        session.parts().subscriptionCount(),
        session.connection().settings().maxSubscriptions(),
        session.parts().awaitingPubRel(),
        heldBackBy());
  }

  private List<String> heldBackBy() {
    List<String> reasons = new ArrayList<>(0);
    ReadGate gate = session.gate();
    if (gate.isClosedBy(ReadGate.PUBLISHES)) {
      reasons.add(Limit.PENDING_PUBLISHES.key());
    }
    if (gate.isClosedBy(ReadGate.SUBSCRIBES)) {
      reasons.add(Limit.PENDING_SUBSCRIBES.key());
    }
    session.connection().throttle().limitsReached().forEach(limit -> reasons.add(limit.key()));
    if (gate.isClosedBy(ReadGate.OVERLOAD)) {
      reasons.add("overload");
    }
    if (gate.isClosedBy(ReadGate.LEASE)) {
      reasons.add("lease");
    }
    if (gate.isClosedBy(ReadGate.PAUSED)) {
      reasons.add("authorization");
    }
    OutboundPublishes outbound = session.parts().existingOutbound();
    if (outbound != null && outbound.isWindowFull()) {
      reasons.add(Limit.INFLIGHT.key());
    }
    if (!session.connection().channel().isWritable() || gate.isClosedBy(ReadGate.RESPONSES)) {
      reasons.add("client not reading");
    }
    return reasons;
  }

  @Override
  public @Nullable ClientQueue queue(ClientQueue.Selection selection) {
    if (!session.isOpen()) {
      return null;
    }
    OutboundPublishes outbound = session.parts().outbound();
    InflightWindow window = outbound.window();
    return new ClientQueue(
        window.sentBelow(),
        window.inflightFrom(selection.inflightFrom(), selection.maxInflight()).stream()
            .map(
                sequence ->
                    new ClientQueue.InFlight(
                        sequence,
                        InflightWindow.packetIdentifier(sequence),
                        awaited(window.state(sequence))))
            .toList(),
        outbound.live().peek(selection.skipQueued(), selection.maxQueued()).stream()
            .map(delivery -> queued(delivery, selection.maxPayloadBytes()))
            .toList());
  }

  private static Awaited awaited(byte state) {
    return switch (state) {
      case InflightWindow.AWAITING_PUBACK -> Awaited.PUBACK;
      case InflightWindow.AWAITING_PUBREC -> Awaited.PUBREC;
      default -> Awaited.PUBCOMP; // the PUBREC has been received
    };
  }

  private static ClientQueue.Queued queued(Delivery delivery, int maxPayloadBytes) {
    return new ClientQueue.Queued(
        delivery.message().withPayloadUpTo(maxPayloadBytes),
        delivery.qos(),
        delivery.retain(),
        delivery.message().payload().length);
  }

  @Override
  public CompletableFuture<Boolean> kick() {
    return CompletableFuture.supplyAsync(session::kick, session.eventLoop())
        .thenCombine(session.registration().stateReleased(), (kicked, released) -> kicked);
  }

  @Override
  public CompletableFuture<Integer> subscribe(TopicFilter filter, SubscriptionOptions options) {
    return change(forced -> forced.subscribe(filter, options));
  }

  @Override
  public CompletableFuture<Integer> unsubscribe(TopicFilter filter) {
    return change(forced -> forced.unsubscribe(filter));
  }

  private CompletableFuture<Integer> change(
      Function<ForcedSubscriptions, CompletableFuture<Integer>> change) {
    return CompletableFuture.supplyAsync(
            () -> {
              if (!session.isOpen()) {
                throw ForcedSubscriptions.disconnected();
              }
              return change.apply(session.parts().subscriptions().forced());
            },
            session.eventLoop())
        .thenCompose(code -> code);
  }

  @Override
  public List<LiveSubscription> subscriptions() {
    return session.connection().services().live().subscriptionsOf(session);
  }
}
