package io.fjordmq.range.placement;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.range.RangeId;
import java.time.Duration;

/**
 * A step that placement wants to take for a range and cannot take yet.
 *
 * <p>Its bytes: text store, varint range number, text what, text why, u8 1 if it can be canceled,
 * varint milliseconds for which it has been waiting.
 *
 * @param what the change, such as "removing the replica on node c"
 * @param why what it waits for, such as "node b is down"
 * @param cancelable whether {@link PlacementDriver#cancel} ends it
 * @param waiting for how long, as far as the current metadata leader knows
 */
public record PendingStep(
    RangeId range, String what, String why, boolean cancelable, Duration waiting) {

  /** A step that was found just now. */
  PendingStep(RangeId range, String what, String why, boolean cancelable) {
    this(range, what, why, cancelable, Duration.ZERO);
  }

  boolean isSameAs(PendingStep other) {
    return range.equals(other.range) && what.equals(other.what);
  }

  PendingStep waitingFor(Duration duration) {
    return new PendingStep(range, what, why, cancelable, duration);
  }

  void write(ByteWriter out) {
    out.writeString(range.store()).writeVarint(range.number());
    out.writeString(what).writeString(why);
    out.writeByte(cancelable ? 1 : 0).writeVarint(waiting.toMillis());
  }

  static PendingStep read(ByteReader in) {
    RangeId range = new RangeId(in.readString(), in.readVarint());
    String what = in.readString();
    String why = in.readString();
    return new PendingStep(
        range, what, why, in.readByte() != 0, Duration.ofMillis(in.readVarint()));
  }
}
