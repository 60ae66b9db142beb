package io.fjordmq.broker;

import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.http.MqttClients;
import io.fjordmq.broker.http.MqttUser;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.TunnelChannel;
import io.fjordmq.broker.protocol.Peer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The MQTT clients of operators, which connect through the HTTP port, such as those of the web
 * page. They have the rights that their users have in the REST API: to publish and subscribe to
 * everything in their tenant, regardless of the ACL file and plugins.
 *
 * @param server the MQTT server; called only while the API is open
 */
record OperatorClients(Supplier<MqttServer> server) implements MqttClients {
  /** Where these clients connect, as shown to operators and plugins. */
  private static final String LISTENER = "httpConfig";

  /** No MQTT user can have this name by accident: password files cannot contain it. */
  private static final String USER_PREFIX = "api:";

  private static final Permissions EVERYTHING =
      new Permissions(
          List.of(Rule.allow(Access.READ_WRITE, "#"), Rule.allow(Access.READ, "$SYS/#")));

  @Override
  public Connection open(
      MqttUser user, InetSocketAddress address, boolean encrypted, Client client) {
    Identity identity =
        new Identity(user.tenant(), USER_PREFIX + user.name(), EVERYTHING, Map.of());
    Peer peer = new Peer(LISTENER, address, encrypted, null, null, identity);
    TunnelChannel channel = new TunnelChannel(peer, new ClientCarrier(client));
    server.get().serve(channel);
    return new TunnelConnection(channel);
  }

  private record ClientCarrier(Client client) implements TunnelChannel.Carrier {
    @Override
    public void demand() {
      client.demand();
    }

    @Override
    public void send(ByteBuffer bytes, Runnable sent) {
      client.send(bytes, sent);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record TunnelConnection(TunnelChannel channel) implements Connection {
    @Override
    public void receive(ByteBuffer bytes) {
      channel.receive(bytes);
    }

    @Override
    public void close() {
      channel.onClosed();
    }
  }
}
