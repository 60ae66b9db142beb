package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.Timers;
import java.util.List;

/** What the parts of a client share. */
record ClientParts(
    RangeTransport transport,
    Timers timers,
    RangeClientSettings settings,
    RangeObserver observer,
    Client client) {

  /** What a part tells the whole; called without locks. */
  interface Client {
    /** A range said what its shape is now. */
    void reshaped(List<RangeDescriptor> current);

    /** The range's batch is in the air no more. */
    void settled(RangeId range);

    /** Something is in the air from now on: deadlines have to be watched. */
    void watch();
  }
}
