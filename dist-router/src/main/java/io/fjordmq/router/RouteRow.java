package io.fjordmq.router;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;

/** Encodes the row of a route: its options. {@link RouteKeys} encodes everything else. */
public final class RouteRow {
  /*
   *   1  version 1
   *   1  options: bits 0-1 maximum QoS, 2 no local, 3 retain as published, 4-5 retain handling
   *   v  subscription identifier
   */
  private static final int VERSION = 1;
  private static final int NO_LOCAL = 1 << 2;
  private static final int RETAIN_AS_PUBLISHED = 1 << 3;
  private static final int RETAIN_HANDLING_SHIFT = 4;
  private static final RetainHandling[] RETAIN_HANDLINGS = RetainHandling.values();

  private RouteRow() {}

  public static byte[] encode(SubscriptionOptions options) {
    int bits =
        options.maxQos().level()
            | (options.noLocal() ? NO_LOCAL : 0)
            | (options.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0)
            | options.retainHandling().ordinal() << RETAIN_HANDLING_SHIFT;
    return new ByteWriter(8)
        .writeByte(VERSION)
        .writeByte(bits)
        .writeVarint(options.identifier())
        .toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not the row of a route
   */
  public static Route decode(byte[] key, byte[] row) {
    RouteId id = RouteKeys.decode(key);
    return new Route(id.tenant(), id.filter(), id.receiver(), readOptions(new ByteReader(row)));
  }

  private static SubscriptionOptions readOptions(ByteReader in) {
    NewerFormatException.require("route", VERSION, in.readByte());
    int bits = in.readByte();
    int qos = bits & 0b11;
    int retainHandling = bits >>> RETAIN_HANDLING_SHIFT;
    if (qos > Qos.EXACTLY_ONCE.level() || retainHandling >= RETAIN_HANDLINGS.length) {
      throw new MalformedBytesException(
          "unknown options of a route: 0x" + Integer.toHexString(bits));
    }
    SubscriptionOptions options =
        new SubscriptionOptions(
            Qos.of(qos),
            (bits & NO_LOCAL) != 0,
            (bits & RETAIN_AS_PUBLISHED) != 0,
            RETAIN_HANDLINGS[retainHandling],
            in.readInt());
    in.requireEnd();
    return options;
  }
}
