package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the rate limits of a connection (bytes in each direction, and publishes) and those that
 * it shares with other connections ({@link SharedQuotas}), and pauses reading while the node is
 * overloaded. Each rate has a token bucket that holds the tokens of one second. Bytes and publishes
 * are charged afterward and may overdraw the bucket; if they do, the broker stops reading from the
 * client or sending messages to it until the bucket is refilled. A rate limit never drops messages.
 *
 * <p>Time is measured in ticks of the {@link TimeoutWheel}, because reading the tick is only a
 * field access. A connection within its rates is never on the wheel; a connection that exceeds them
 * pauses for at least one tick.
 */
final class Throttle extends TimeoutWheel.Timeout {
  /**
   * The number of ticks per second. A token is half a byte or half a publish, so each tick adds a
   * whole number of tokens.
   */
  private static final int TICKS_PER_SECOND = 1_000 / TimeoutWheel.TICK_MILLIS;

  /**
   * The number of filter nodes that take about as long to visit as the rest of the work for a small
   * message.
   */
  static final int NODES_PER_MESSAGE = 256;

  /** The size of such a message. */
  static final int BYTES_PER_MESSAGE = 64;

  private final TimeoutWheel wheel;
  private SessionSettings settings;
  private final Client client;
  private long readTokens;
  private long writeTokens;
  private long publishTokens;
  private int lastTick;
  private List<SharedQuotas.PublishRate> shared = List.of();
  private @Nullable Limit readLimit; // why reading is stopped; null if it is not
  private boolean writeStopped;

  /** The connection that is throttled. */
  interface Client {
    ReadGate gate();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);

    /** Records that the client is throttled; the limit is null if the node is overloaded. */
    void recordThrottled(@Nullable Limit limit);

    /** Records that the client is no longer throttled for this reason. */
    void recordThrottleEnded(@Nullable Limit limit);

    /** Whether the node is overloaded. */
    boolean isOverloaded();

    SessionObserver observer();

    /** Called when the write rate allows messages to the client again. */
    void onWritable();

    /** The clock of the rates that connections share. */
    long sharedClockMillis();
  }

  Throttle(TimeoutWheel wheel, SessionSettings settings, Client client) {
    this.wheel = wheel;
    this.settings = settings;
    this.client = client;
    this.readTokens = capacityOf(settings.readBytesPerSecond());
    this.writeTokens = capacityOf(settings.writeBytesPerSecond());
    this.publishTokens = capacityOf(settings.publishesPerSecond());
    this.lastTick = wheel.currentTick();
  }

  private static long capacityOf(int perSecond) {
    return (long) perSecond * TICKS_PER_SECOND;
  }

  /** Applies new rates. A client that was stopped continues once it has paid its debt. */
  void setRates(SessionSettings changed) {
    refill();
    readTokens = tokens(readTokens, settings.readBytesPerSecond(), changed.readBytesPerSecond());
    writeTokens =
        tokens(writeTokens, settings.writeBytesPerSecond(), changed.writeBytesPerSecond());
    publishTokens =
        tokens(publishTokens, settings.publishesPerSecond(), changed.publishesPerSecond());
    settings = changed;
  }

  /** Sets the rates of publishes that the connection shares with others. */
  void setShared(List<SharedQuotas.PublishRate> rates) {
    shared = rates;
  }

  /** A rate that was not limited before starts with a full bucket; without a limit, no debt. */
  private static long tokens(long tokens, int before, int after) {
    return before == 0 || after == 0 ? capacityOf(after) : Math.min(tokens, capacityOf(after));
  }

  /** Charges a packet that was read. */
  void chargeRead(int bytes, boolean publish) {
    charge(bytes, publish ? 1 : 0);
  }

  private void charge(int bytes, int publishes) {
    refill();
    if (settings.readBytesPerSecond() > 0) {
      readTokens -= (long) bytes * TICKS_PER_SECOND;
      if (readTokens < 0) {
        stopReading(Limit.READ_RATE);
      }
    }
    if (publishes > 0 && settings.publishesPerSecond() > 0) {
      publishTokens -= (long) publishes * TICKS_PER_SECOND;
      if (publishTokens < 0) {
        stopReading(Limit.PUBLISH_RATE);
      }
    }
    if (publishes > 0 && !shared.isEmpty()) {
      chargeShared(publishes);
    }
  }

  private void chargeShared(int publishes) {
    long now = client.sharedClockMillis();
    for (SharedQuotas.PublishRate one : shared) {
      one.rate().charge(now, publishes, one.perSecond());
      if (one.rate().isOverdrawn(now)) {
        stopReading(one.limit());
      }
    }
  }

  /** Returns the first shared rate that is exceeded; null if there is none. */
  private @Nullable Limit sharedLimitReached() {
    if (shared.isEmpty()) {
      return null;
    }
    long now = client.sharedClockMillis();
    for (SharedQuotas.PublishRate one : shared) {
      if (one.rate().isOverdrawn(now)) {
        return one.limit();
      }
    }
    return null;
  }

  /**
   * Charges for the matching of a publish. A topic that is expensive to match because of many
   * wildcard filters counts as several messages.
   *
   * @param nodes the number of nodes visited in the filter tries
   */
  void chargeMatch(int nodes) {
    int more = nodes / NODES_PER_MESSAGE;
    if (more > 0) {
      charge(more * BYTES_PER_MESSAGE, more);
    }
  }

  /** Charges bytes that were written. */
  void chargeWrite(int bytes) {
    if (settings.writeBytesPerSecond() == 0) {
      return;
    }
    refill();
    writeTokens -= (long) bytes * TICKS_PER_SECOND;
    if (writeTokens < 0 && !writeStopped) {
      writeStopped = true;
      client.recordLimitReached(Limit.WRITE_RATE);
      client.recordThrottled(Limit.WRITE_RATE);
      wheel.arm(this, 1);
    }
  }

  /** Stops reading from the client until the node is no longer overloaded. */
  void stopReadingWhileOverloaded() {
    if (!client.gate().isClosedBy(ReadGate.OVERLOAD)) {
      client.observer().onRefusedAsOverloaded(RejectedWork.MQTT3_PUBLISHER);
      client.recordThrottled(null);
      client.gate().close(ReadGate.OVERLOAD);
      wheel.arm(this, 1);
    }
  }

  /** Returns false while messages to the client must wait. */
  boolean mayWrite() {
    return !writeStopped;
  }

  /** Returns the rates that hold the client back now. */
  List<Limit> limitsReached() {
    List<Limit> reached = new ArrayList<>(0);
    if (readLimit != null && readTokens < 0) {
      reached.add(Limit.READ_RATE);
    }
    if (readLimit != null && publishTokens < 0) {
      reached.add(Limit.PUBLISH_RATE);
    }
    Limit sharedLimit = readLimit == null ? null : sharedLimitReached();
    if (sharedLimit != null) {
      reached.add(sharedLimit);
    }
    if (writeStopped) {
      reached.add(Limit.WRITE_RATE);
    }
    return reached;
  }

  private void stopReading(Limit limit) {
    if (readLimit == null) {
      readLimit = limit;
      client.recordLimitReached(limit);
      client.recordThrottled(limit);
      client.gate().close(ReadGate.RATE);
      wheel.arm(this, 1);
    }
  }

  private void refill() {
    int ticks = wheel.currentTick() - lastTick;
    if (ticks > 0) {
      lastTick += ticks;
      readTokens = refilled(readTokens, settings.readBytesPerSecond(), ticks);
      writeTokens = refilled(writeTokens, settings.writeBytesPerSecond(), ticks);
      publishTokens = refilled(publishTokens, settings.publishesPerSecond(), ticks);
    }
  }

  private static long refilled(long tokens, int perSecond, long ticks) {
    return Math.min(tokens + perSecond * ticks, capacityOf(perSecond));
  }

  @Override
  long check() {
    refill();
    Limit stopped = readLimit;
    if (stopped != null && readTokens >= 0 && publishTokens >= 0 && sharedLimitReached() == null) {
      readLimit = null;
      client.recordThrottleEnded(stopped);
      client.gate().open(ReadGate.RATE);
    }
    if (writeStopped && writeTokens >= 0) {
      writeStopped = false;
      client.recordThrottleEnded(Limit.WRITE_RATE);
      client.onWritable();
    }
    if (client.gate().isClosedBy(ReadGate.OVERLOAD) && !client.isOverloaded()) {
      client.recordThrottleEnded(null);
      client.gate().open(ReadGate.OVERLOAD);
    }
    boolean heldBack = client.gate().isClosedBy(ReadGate.OVERLOAD);
    return readLimit != null || writeStopped || heldBack ? 1 : 0;
  }
}
