package io.fjordmq.broker.sys;

import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.inbox.ConnectOrder;
import java.net.InetAddress;

/**
 * Publishes an event when a client connects or disconnects, with the topics and JSON members that
 * EMQX uses. Events are not retained and reach subscribers on all nodes.
 */
public final class ClientTopics implements ClientEvents {
  /**
   * The maximum length of a client identifier in a topic. Longer identifiers are truncated in the
   * topic but not in the JSON.
   */
  private static final int MAX_LEVEL_LENGTH = 1_024;

  private final SysTopicsSettings settings;
  private final String node;
  private final PublishRouter publishRouter;

  /**
   * @param node the name of this node
   */
  public ClientTopics(SysTopicsSettings settings, String node, PublishRouter publishRouter) {
    this.settings = settings;
    this.node = node;
    this.publishRouter = publishRouter;
  }

  @Override
  public void onConnected(Client client) {
    ConnectRequest request = client.request();
    JsonWriter jsonWriter =
        commonMembers(client, client.connectedAtMillis())
            .with("keepalive", request.keepAliveSeconds())
            .with("expiry_interval", request.expirySeconds())
            .with("clean_start", request.cleanStart())
            .with("connack", 0)
            .with("connected_at", client.connectedAtMillis());
    publish(client, "connected", jsonWriter, client.connectedAtMillis());
  }

  @Override
  public void onDisconnected(Client client, CloseReason reason, long nowMillis) {
    JsonWriter jsonWriter =
        commonMembers(client, nowMillis)
            .with("reason", reasonOf(reason))
            .with("connected_at", client.connectedAtMillis())
            .with("disconnected_at", nowMillis);
    publish(client, "disconnected", jsonWriter, nowMillis);
  }

  private JsonWriter commonMembers(Client client, long nowMillis) {
    ConnectRequest request = client.request();
    InetAddress address = client.peer().address();
    JsonWriter jsonWriter =
        new JsonWriter()
            .with("clientid", request.clientId())
            .with("username", request.userName())
            .with("ipaddress", address == null ? null : address.getHostAddress())
            .with("sockport", client.port())
            .with("protocol", "mqtt")
            .with("proto_name", request.protocolLevel() == 3 ? "MQIsdp" : "MQTT")
            .with("proto_ver", request.protocolLevel())
            .with("ts", nowMillis);
    return client.tenant().isEmpty() ? jsonWriter : jsonWriter.with("tenant", client.tenant());
  }

  /** Returns EMQX's name for the reason if there is one, otherwise FjordMQ's own name. */
  private static String reasonOf(CloseReason reason) {
    return switch (reason) {
      case CLIENT_DISCONNECT -> "normal";
      case CONNECTION_LOST -> "tcp_closed";
      case KEEP_ALIVE_TIMEOUT -> "keepalive_timeout";
      case SESSION_TAKEN_OVER -> "takenover";
      default -> reason.label();
    };
  }

  private void publish(Client client, String event, JsonWriter jsonWriter, long nowMillis) {
    String topic = EmqxTopics.client(node, topicLevel(client.request().clientId())) + event;
    publishRouter.publish(
        settings.tenant(),
        SysTopics.message(topic, jsonWriter.toString(), nowMillis),
        ConnectOrder.NONE,
        null,
        outcome -> {});
    publishRouter.flush();
  }

  /** Escapes wildcards, which may occur in a client identifier but not in a topic. */
  private static String topicLevel(String clientId) {
    int end = Math.min(clientId.length(), MAX_LEVEL_LENGTH);
    if (end < clientId.length() && Character.isHighSurrogate(clientId.charAt(end - 1))) {
      end--;
    }
    return clientId.substring(0, end).replace("+", "%2B").replace("#", "%23");
  }
}
