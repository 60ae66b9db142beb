package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import java.time.Instant;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Disconnects a client (0x87) when its identity ends, for example because its token has expired. A
 * re-authentication can prolong or end the identity. Only used on the event loop.
 */
final class IdentityExpiry extends TimeoutWheel.Timeout {
  private final TimeoutWheel wheel;
  private final LongSupplier nowMillis;
  private final BiConsumer<CloseReason, String> disconnect;
  private long endsAtMillis;

  /**
   * @param nowMillis the wall clock
   * @param disconnect ends the session
   */
  IdentityExpiry(
      TimeoutWheel wheel, LongSupplier nowMillis, BiConsumer<CloseReason, String> disconnect) {
    this.wheel = wheel;
    this.nowMillis = nowMillis;
    this.disconnect = disconnect;
  }

  /** Sets when the identity ends; null for never. */
  void set(@Nullable Instant end) {
    cancel();
    if (end != null) {
      endsAtMillis = millisOf(end);
      wheel.arm(this, remainingTicks());
    }
  }

  private static long millisOf(Instant instant) {
    try {
      return instant.toEpochMilli();
    } catch (ArithmeticException e) {
      return instant.getEpochSecond() < 0 ? 0 : Long.MAX_VALUE / 2;
    }
  }

  private long remainingTicks() {
    return TimeoutWheel.toTicks(Math.max(0, endsAtMillis - nowMillis.getAsLong()));
  }

  @Override
  long check() {
    if (nowMillis.getAsLong() < endsAtMillis) {
      return remainingTicks();
    }
    disconnect.accept(CloseReason.NOT_AUTHORIZED, "the client's credentials have expired");
    return 0;
  }
}
