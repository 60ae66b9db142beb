package io.fjordmq.range.placement;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.RangeId;
import java.time.Duration;

/**
 * A step that placement plans for a range and cannot take yet.
 *
 * <p>Encoding: text store, varint range number, text description, text reason, u8 1 if cancelable,
 * varint milliseconds for which it has been waiting.
 *
 * @param description description of the change, such as "removing the replica on node c"
 * @param reason the reason why it waits, such as "node b is down"
 * @param cancelable whether {@link PlacementDriver#cancel} ends it
 * @param waiting how long it has been waiting, as far as the current metadata leader knows
 */
public record PendingStep(
    RangeId range, String description, String reason, boolean cancelable, Duration waiting) {

  /** Creates a step that has just been found. */
  PendingStep(RangeId range, String what, String reason, boolean cancelable) {
    this(range, what, reason, cancelable, Duration.ZERO);
  }

  boolean isSameAs(PendingStep other) {
    return range.equals(other.range) && description.equals(other.description);
  }

  PendingStep waitingFor(Duration duration) {
    return new PendingStep(range, description, reason, cancelable, duration);
  }

  void write(ByteWriter out) {
    out.writeString(range.store()).writeVarint(range.number());
    out.writeString(description).writeString(reason);
    out.writeByte(cancelable ? 1 : 0).writeVarint(waiting.toMillis());
  }

  static PendingStep read(ByteReader in) {
    RangeId range = new RangeId(in.readString(), in.readVarint());
    String what = in.readString();
    String reason = in.readString();
    return new PendingStep(
        range, what, reason, in.readByte() != 0, Duration.ofMillis(in.readVarint()));
  }
}
