package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request for the events of a client on another node, and its response. */
final class EventCodec {
  /*
   * Request:
   *   1  version 1
   *   .. tenant (optional), s client id
   *
   * Response:
   *   1  version 1
   *   v  count, then for each event:
   *      .. tenant (optional), v last time, v first time, v count, 1 kind, .. as in each event
   *
   * Optional text: 1 whether present | s text
   */
  static final int VERSION = 1;

  private static final int MIN_EVENT_BYTES = 5;

  /**
   * The events of a client are requested.
   *
   * @param tenant null for all tenants
   */
  record FindRequest(@Nullable String tenant, String clientId) {}

  private EventCodec() {}

  static byte[] encode(FindRequest request) {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION);
    writeOptional(out, request.tenant);
    return out.writeString(request.clientId).toByteArray();
  }

  static FindRequest decodeRequest(byte[] bytes) {
    ByteReader in = readerOf(bytes, "request for events of a client");
    FindRequest request = new FindRequest(readOptional(in), in.readString());
    in.requireEnd();
    return request;
  }

  static byte[] encode(List<RecordedEvent> events) {
    ByteWriter out = new ByteWriter(1_024).writeByte(VERSION).writeVarint(events.size());
    for (RecordedEvent recorded : events) {
      writeOptional(out, recorded.tenant());
      out.writeVarint(recorded.atMillis())
          .writeVarint(recorded.firstAtMillis())
          .writeVarint(recorded.count())
          .writeByte(recorded.event().kind());
      recorded.event().write(out);
    }
    return out.toByteArray();
  }

  static List<RecordedEvent> decodeResponse(byte[] bytes) {
    ByteReader in = readerOf(bytes, "events of a client");
    int size = in.readCount(MIN_EVENT_BYTES);
    List<RecordedEvent> events = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      String tenant = readOptional(in);
      long at = in.readVarint();
      long firstAt = in.readVarint();
      long count = in.readVarint();
      events.add(new RecordedEvent(tenant, at, firstAt, count, readEvent(in, count)));
    }
    in.requireEnd();
    return events;
  }

  private static ClientEvent readEvent(ByteReader in, long count) {
    int kind = in.readByte();
    return switch (kind) {
      case Connected.KIND -> Connected.read(in);
      case Refused.KIND -> Refused.read(in);
      case Subscribed.KIND -> Subscribed.read(in);
      case SubscribeRefused.KIND -> SubscribeRefused.read(in);
      case Unsubscribed.KIND -> Unsubscribed.read(in);
      case PublishDenied.KIND -> PublishDenied.read(in);
      case Dropped.KIND -> Dropped.read(in, count);
      case Throttled.KIND -> Throttled.read(in);
      case ThrottleEnded.KIND -> ThrottleEnded.read(in);
      case Disconnected.KIND -> Disconnected.read(in);
      case TakenOver.KIND -> TakenOver.read(in);
      case SessionExpired.KIND -> new SessionExpired();
      case WillPublished.KIND -> WillPublished.read(in);
      case Banned.KIND -> Banned.read(in);
      default -> throw NewerFormatException.unknownKind("event of a client", kind);
    };
  }

  private static ByteReader readerOf(byte[] bytes, String format) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require(format, VERSION, in.readByte());
    return in;
  }

  static void writeOptional(ByteWriter out, @Nullable String text) {
    out.writeByte(text == null ? 0 : 1);
    if (text != null) {
      out.writeString(text);
    }
  }

  static @Nullable String readOptional(ByteReader in) {
    return in.readByte() == 0 ? null : in.readString();
  }
}
