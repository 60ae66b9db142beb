package io.fjordmq.broker.query;

import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client, for operators. {@link ClientAttributes} and {@link ClientState}
 * describe the components.
 */
public record ClientConnection(
    @Nullable String userName,
    String address,
    int port,
    String listener,
    boolean encrypted,
    int protocolLevel,
    int keepAliveSeconds,
    boolean cleanStart,
    long expirySeconds,
    boolean persistent,
    boolean hasWill,
    long connectedAtMillis,
    int inflight,
    int maxInflight,
    int queued,
    int maxQueued,
    int subscriptions,
    int maxSubscriptions,
    int awaitingPubRel,
    List<String> heldBackBy) {
  static ClientConnection of(LiveClient client) {
    ClientAttributes attributes = client.attributes();
    ClientState state = client.state();
    return new ClientConnection(
        attributes.userName(),
        attributes.address(),
        attributes.port(),
        attributes.listener(),
        attributes.encrypted(),
        attributes.protocolLevel(),
        attributes.keepAliveSeconds(),
        attributes.cleanStart(),
        attributes.expirySeconds(),
        attributes.persistent(),
        attributes.hasWill(),
        attributes.connectedAtMillis(),
        state.inflight(),
        state.maxInflight(),
        state.queued(),
        state.maxQueued(),
        state.subscriptions(),
        state.maxSubscriptions(),
        state.awaitingPubRel(),
        state.heldBackBy());
  }
}
