package io.fjordmq.broker.query;

import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client, for operators. {@link ClientAttributes} and {@link ClientState}
 * describe the values. Immutable.
 */
public final class ClientConnection {
  private final ClientAttributes attributes;
  private final ClientState state;

  private ClientConnection(ClientAttributes attributes, ClientState state) {
    this.attributes = attributes;
    this.state = state;
  }

  static ClientConnection of(LiveClient client) {
    return new ClientConnection(client.attributes(), client.state());
  }

  public @Nullable String userName() {
    return attributes.userName();
  }

  public String address() {
    return attributes.address();
  }

  public int port() {
    return attributes.port();
  }

  public String listener() {
    return attributes.listener();
  }

  public boolean encrypted() {
    return attributes.encrypted();
  }

  public int protocolLevel() {
    return attributes.protocolLevel();
  }

  public int keepAliveSeconds() {
    return attributes.keepAliveSeconds();
  }

  public boolean cleanStart() {
    return attributes.cleanStart();
  }

  public long expirySeconds() {
    return attributes.expirySeconds();
  }

  public boolean persistent() {
    return attributes.persistent();
  }

  public boolean hasWill() {
    return attributes.hasWill();
  }

  public long connectedAtMillis() {
    return attributes.connectedAtMillis();
  }

  public int inflight() {
    return state.inflight();
  }

  public int maxInflight() {
    return state.maxInflight();
  }

  public int queued() {
    return state.queued();
  }

  public int maxQueued() {
    return state.maxQueued();
  }

  public int subscriptions() {
    return state.subscriptions();
  }

  public int maxSubscriptions() {
    return state.maxSubscriptions();
  }

  public int awaitingPubRel() {
    return state.awaitingPubRel();
  }

  public List<String> heldBackBy() {
    return state.heldBackBy();
  }
}
