package io.fjordmq.broker.query;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.broker.session.ClientQueue.Awaited;
import io.fjordmq.broker.session.ClientQueue.InFlight;
import io.fjordmq.broker.session.ClientQueue.Queued;
import io.fjordmq.broker.session.ClientQueue.Selection;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.InboxId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** See {@link NodeClients#queue}. */
record PeekClient(InboxId id, Selection selection) implements NodeCall {
  /*
   *   s  tenant, s client id
   *   v  inflightFrom, v maxInflight, v skipQueued, v maxQueued, v maxPayloadBytes
   *
   * Response: 1 whether the client is connected; if so:
   *   v  sentBelow
   *   v  count | v sequence, v packet id, 1 awaited: 0 PUBACK, 1 PUBREC, 2 PUBCOMP    for each
   *   v  count | 1 QoS and RETAIN << 2, v payload bytes, b message    for each
   */
  static final int KIND = 9;

  private static final Awaited[] AWAITED = Awaited.values();

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(id.tenant())
        .writeString(id.clientId())
        .writeVarint(selection.inflightFrom())
        .writeVarint(selection.maxInflight())
        .writeVarint(selection.skipQueued())
        .writeVarint(selection.maxQueued())
        .writeVarint(selection.maxPayloadBytes());
  }

  static PeekClient read(ByteReader in) {
    return new PeekClient(
        new InboxId(in.readString(), in.readString()),
        new Selection(in.readVarint(), in.readInt(), in.readInt(), in.readInt(), in.readInt()));
  }

  static byte[] encodeResponse(Optional<ClientQueue> found) {
    ByteWriter out = NodeCall.newResponse().writeByte(found.isPresent() ? 1 : 0);
    found.ifPresent(queue -> write(out, queue));
    return out.toByteArray();
  }

  private static void write(ByteWriter out, ClientQueue queue) {
    out.writeVarint(queue.sentBelow()).writeVarint(queue.inflight().size());
    for (InFlight message : queue.inflight()) {
      out.writeVarint(message.sequence())
          .writeVarint(message.packetId())
          .writeByte(message.awaited().ordinal());
    }
    out.writeVarint(queue.queued().size());
    for (Queued message : queue.queued()) {
      out.writeByte(message.qos().level() | (message.retain() ? 1 << 2 : 0))
          .writeVarint(message.payloadBytes())
          .writeBlock(MessageCodec.encode(message.message()));
    }
  }

  static Optional<ClientQueue> decodeResponse(byte[] response) {
    ByteReader in = NodeCall.responseReader(response);
    if (in.readByte() == 0) {
      return Optional.empty();
    }
    long sentBelow = in.readVarint();
    int count = in.readCount(3);
    List<InFlight> inflight = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      inflight.add(new InFlight(in.readVarint(), in.readInt(), AWAITED[in.readByte() % 3]));
    }
    count = in.readCount(3);
    List<Queued> queued = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int flags = in.readByte();
      int payloadBytes = in.readInt();
      queued.add(
          new Queued(
              MessageCodec.decode(ByteBuffer.wrap(in.readBlock())),
              Qos.of(flags & 0b11),
              (flags & 1 << 2) != 0,
              payloadBytes));
    }
    in.requireEnd();
    return Optional.of(new ClientQueue(sentBelow, inflight, queued));
  }
}
