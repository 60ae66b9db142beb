package io.fjordmq.range.client;

import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import java.util.List;

/** Dependencies shared by the parts of a client. */
record ClientDependencies(
    RangeTransport transport,
    Timers timers,
    RangeClientSettings settings,
    RangeObserver observer,
    Client client) {

  /** Callbacks from the parts to the client; called without locks. */
  interface Client {
    /** Called when a range has reported the current descriptors. */
    void onNewDescriptors(List<RangeDescriptor> current);

    /** Called when the range no longer has a batch in flight. */
    void onSettled(RangeId range);

    /** Starts checking deadlines, because a command or query is now in flight. */
    void watchDeadlines();
  }
}
