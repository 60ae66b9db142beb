package io.fjordmq.broker.query;

import io.fjordmq.broker.slow.SlowSubscription;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls between nodes about slow subscriptions. */
final class SlowSubscriptionCodec {
  /*
   * Request:
   *   1  version 1 | 1 1 to list, 2 to clear | 1 whether there is a tenant | s tenant
   *
   * Response to list (that to clear is empty):
   *   1  version 1 | v count, then for each entry:
   *      s tenant, s client id, s topic, v latency, v time of the last update   (ms)
   */
  static final String SERVICE = "slow-subscriptions";
  private static final int VERSION = 1;
  private static final int LIST = 1;
  private static final int CLEAR = 2;
  private static final int MIN_ENTRY_BYTES = 5;

  /**
   * A request.
   *
   * @param clear whether to clear the list instead of returning it
   * @param tenant null for all tenants
   */
  record Call(boolean clear, @Nullable String tenant) {}

  private SlowSubscriptionCodec() {}

  static byte[] encode(Call call) {
    ByteWriter out = new ByteWriter(32).writeByte(VERSION).writeByte(call.clear ? CLEAR : LIST);
    String tenant = call.tenant;
    out.writeByte(tenant == null ? 0 : 1);
    if (tenant != null) {
      out.writeString(tenant);
    }
    return out.toByteArray();
  }

  static Call decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a request for slow subscriptions", VERSION, in.readByte());
    int kind = in.readByte();
    if (kind != LIST && kind != CLEAR) {
      throw NewerFormatException.unknownKind("request for slow subscriptions", kind);
    }
    Call call = new Call(kind == CLEAR, in.readByte() == 0 ? null : in.readString());
    in.requireEnd();
    return call;
  }

  static byte[] encode(List<SlowSubscription> slow) {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeVarint(slow.size());
    for (SlowSubscription one : slow) {
      out.writeString(one.tenant())
          .writeString(one.clientId())
          .writeString(one.topic())
          .writeVarint(one.latencyMillis())
          .writeVarint(one.updatedAtMillis());
    }
    return out.toByteArray();
  }

  static List<SlowSubscription> decodeResponse(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a list of slow subscriptions", VERSION, in.readByte());
    int count = in.readCount(MIN_ENTRY_BYTES);
    List<SlowSubscription> slow = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      slow.add(
          new SlowSubscription(
              in.readString(), in.readString(), in.readString(), in.readVarint(), in.readVarint()));
    }
    in.requireEnd();
    return slow;
  }
}
