package io.fjordmq.broker.query;

import io.fjordmq.broker.query.NodeClients.Clients;
import io.fjordmq.broker.query.NodeClients.Counts;
import io.fjordmq.broker.query.NodeClients.Found;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to another node about its clients. The response to each kind is encoded next to it. */
sealed interface NodeCall
    permits NodeCall.ListClients,
        NodeCall.FindClient,
        NodeCall.KickClient,
        NodeCall.CountClients,
        PeekClient,
        SubscriptionCall {
  /*
   *   1  version 1
   *   1  kind
   *   .. as described in each call
   *
   * Responses start with the same version byte.
   */
  int VERSION = 1;

  int kind();

  void write(ByteWriter out);

  default byte[] encode() {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION).writeByte(kind());
    write(out);
    return out.toByteArray();
  }

  static NodeCall decode(byte[] request) {
    ByteReader in = readerOf(request, "query between nodes");
    int kind = in.readByte();
    NodeCall call =
        switch (kind) {
          case ListClients.KIND ->
              new ListClients(SessionPosition.read(in), ClientFilter.read(in), in.readInt());
          case FindClient.KIND ->
              new FindClient(in.readByte() == 0 ? null : in.readString(), in.readString());
          case KickClient.KIND -> new KickClient(new InboxId(in.readString(), in.readString()));
          case CountClients.KIND -> new CountClients();
          case PeekClient.KIND -> PeekClient.read(in);
          case SubscriptionCall.ListTransient.KIND -> SubscriptionCall.ListTransient.read(in);
          case SubscriptionCall.ListSubscribers.KIND -> SubscriptionCall.ListSubscribers.read(in);
          case SubscriptionCall.OfClient.KIND -> SubscriptionCall.OfClient.read(in);
          case SubscriptionCall.Subscribe.KIND -> SubscriptionCall.Subscribe.read(in);
          case SubscriptionCall.Unsubscribe.KIND -> SubscriptionCall.Unsubscribe.read(in);
          default -> throw NewerFormatException.unknownKind("query between nodes", kind);
        };
    in.requireEnd();
    return call;
  }

  private static ByteReader readerOf(byte[] bytes, String format) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require(format, VERSION, in.readByte());
    return in;
  }

  /** Returns a reader of a response after its version. */
  static ByteReader responseReader(byte[] response) {
    return readerOf(response, "response to a query between nodes");
  }

  /** Returns a writer that already contains the version. */
  static ByteWriter newResponse() {
    return new ByteWriter(256).writeByte(VERSION);
  }

  private static void writeClients(ByteWriter out, List<LiveClient> clients) {
    out.writeVarint(clients.size());
    clients.forEach(client -> client.write(out));
  }

  private static List<LiveClient> readClients(ByteReader in) {
    int count = in.readCount(20);
    List<LiveClient> clients = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      clients.add(LiveClient.read(in));
    }
    return clients;
  }

  /** See {@link NodeClients#list}. */
  record ListClients(SessionPosition from, ClientFilter filter, int maxClients)
      implements NodeCall {
    /*
     *   .. position from, .. filter, v maxClients
     *
     * Response: .. position next | v count | .. each client
     */
    static final int KIND = 1;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      from.write(out);
      filter.write(out);
      out.writeVarint(maxClients);
    }

    static byte[] encodeResponse(Clients page) {
      ByteWriter out = newResponse();
      page.next().write(out);
      writeClients(out, page.clients());
      return out.toByteArray();
    }

    static Clients decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      SessionPosition next = SessionPosition.read(in);
      Clients page = new Clients(readClients(in), next);
      in.requireEnd();
      return page;
    }
  }

  /** See {@link NodeClients#find}. */
  record FindClient(@Nullable String tenant, String clientId) implements NodeCall {
    /*
     *   1  1 if there is a tenant | s tenant
     *   s  client id
     *
     * Response: v count | .. each client | v count | s each tenant
     */
    static final int KIND = 2;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      out.writeByte(tenant == null ? 0 : 1);
      if (tenant != null) {
        out.writeString(tenant);
      }
      out.writeString(clientId);
    }

    static byte[] encodeResponse(Found found) {
      ByteWriter out = newResponse();
      writeClients(out, found.clients());
      out.writeVarint(found.tenants().size());
      found.tenants().forEach(out::writeString);
      return out.toByteArray();
    }

    static Found decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      List<LiveClient> clients = readClients(in);
      int count = in.readCount(1);
      List<String> tenants = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        tenants.add(in.readString());
      }
      in.requireEnd();
      return new Found(clients, tenants);
    }
  }

  /** See {@link NodeClients#kick}. */
  record KickClient(InboxId id) implements NodeCall {
    /*
     *   s  tenant, s client id
     *
     * Response: 1 whether the client was connected
     */
    static final int KIND = 3;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      out.writeString(id.tenant()).writeString(id.clientId());
    }

    static byte[] encodeResponse(boolean kicked) {
      return newResponse().writeByte(kicked ? 1 : 0).toByteArray();
    }

    static boolean decodeResponse(byte[] response) {
      return responseReader(response).readByte() != 0;
    }
  }

  /** See {@link NodeClients#count}. */
  record CountClients() implements NodeCall {
    /*
     * Response: v connected | v offline
     */
    static final int KIND = 4;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      // The call has no parameters.
    }

    static byte[] encodeResponse(Counts counts) {
      return newResponse()
          .writeVarint(counts.connected())
          .writeVarint(counts.offline())
          .toByteArray();
    }

    static Counts decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      return new Counts(in.readVarint(), in.readVarint());
    }
  }
}
