package io.fjordmq.inbox;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/** Encodes the options of a subscription. */
final class SubscriptionRow {
  /*
   *   1  version 1
   *   1  options as in SUBSCRIBE (MQTT 5.0 §3.8.3.1):
   *      bits 0-1 maximum QoS, 2 No Local, 3 Retain As Published, 4-5 Retain Handling
   *   v  subscription identifier; 0 if none
   */
  private static final int VERSION = 1;
  private static final RetainHandling[] RETAIN_HANDLING = RetainHandling.values();

  private SubscriptionRow() {}

  static byte[] encode(SubscriptionOptions options) {
    return new ByteWriter(8)
        .writeByte(VERSION)
        .writeByte(
            options.maxQos().level()
                | (options.noLocal() ? 1 << 2 : 0)
                | (options.retainAsPublished() ? 1 << 3 : 0)
                | options.retainHandling().ordinal() << 4)
        .writeVarint(options.identifier())
        .toByteArray();
  }

  static SubscriptionOptions decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    NewerFormatException.require("subscription", VERSION, in.readByte());
    int flags = in.readByte();
    return new SubscriptionOptions(
        Qos.of(flags & 0b11),
        (flags & 1 << 2) != 0,
        (flags & 1 << 3) != 0,
        RETAIN_HANDLING[flags >> 4 & 0b11],
        in.readInt());
  }
}
