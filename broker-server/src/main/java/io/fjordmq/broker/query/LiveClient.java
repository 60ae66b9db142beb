package io.fjordmq.broker.query;

import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientState;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.InboxId;
import java.util.ArrayList;
import java.util.List;

/** A connected client, as its node describes it. */
public record LiveClient(ClientAttributes attributes, ClientState state) {
  /*
   *   s  tenant, s client id
   *   1  flags   bit 0 user name, 1 encrypted, 2 cleanStart, 3 persistent, 4 hasWill
   *   s  user name                  if there is one
   *   s  address, v port, s listener
   *   1  protocolLevel
   *   v  keepAliveSeconds, v expirySeconds, v connectedAtMillis
   *   v  inflight, v maxInflight, v queued, v queuedBytes, v maxQueued
   *   v  subscriptions, v maxSubscriptions, v awaitingPubRel
   *   v  count, s each heldBackBy
   */

  InboxId id() {
    return new InboxId(attributes.tenant(), attributes.clientId());
  }

  void write(ByteWriter out) {
    String userName = attributes.userName();
    out.writeString(attributes.tenant())
        .writeString(attributes.clientId())
        .writeByte(
            (userName != null ? 1 : 0)
                | (attributes.encrypted() ? 1 << 1 : 0)
                | (attributes.cleanStart() ? 1 << 2 : 0)
                | (attributes.persistent() ? 1 << 3 : 0)
                | (attributes.hasWill() ? 1 << 4 : 0));
    if (userName != null) {
      out.writeString(userName);
    }
    out.writeString(attributes.address())
        .writeVarint(attributes.port())
        .writeString(attributes.listener())
        .writeByte(attributes.protocolLevel())
        .writeVarint(attributes.keepAliveSeconds())
        .writeVarint(attributes.expirySeconds())
        .writeVarint(attributes.connectedAtMillis())
        .writeVarint(state.inflight())
        .writeVarint(state.maxInflight())
        .writeVarint(state.queued())
        .writeVarint(state.queuedBytes())
        .writeVarint(state.maxQueued())
        .writeVarint(state.subscriptions())
        .writeVarint(state.maxSubscriptions())
        .writeVarint(state.awaitingPubRel())
        .writeVarint(state.heldBackBy().size());
    state.heldBackBy().forEach(out::writeString);
  }

  static LiveClient read(ByteReader in) {
    String tenant = in.readString();
    String clientId = in.readString();
    int flags = in.readByte();
    String userName = (flags & 1) == 0 ? null : in.readString();
    ClientAttributes attributes =
        new ClientAttributes(
            tenant,
            clientId,
            userName,
            in.readString(),
            in.readInt(),
            in.readString(),
            (flags & 1 << 1) != 0,
            in.readByte(),
            in.readInt(),
            (flags & 1 << 2) != 0,
            in.readVarint(),
            (flags & 1 << 3) != 0,
            (flags & 1 << 4) != 0,
            in.readVarint());
    return new LiveClient(attributes, readState(in));
  }

  private static ClientState readState(ByteReader in) {
    return new ClientState(
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        readTexts(in));
  }

  private static List<String> readTexts(ByteReader in) {
    int count = in.readCount(1);
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(in.readString());
    }
    return texts;
  }
}
