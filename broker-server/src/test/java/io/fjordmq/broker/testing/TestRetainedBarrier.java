package io.fjordmq.broker.testing;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.Timers;
import java.time.Duration;

/** The retained barrier of a node that has no others; waits without a limit. */
public final class TestRetainedBarrier {
  private TestRetainedBarrier() {}

  public static RetainedBarrier create() {
    NodeId self = new NodeId("n1");
    return new RetainedBarrier(
        new TestMembership(self),
        LoopbackPeers.immediate().start(self),
        new StoppedTimers(),
        Duration.ofSeconds(1),
        DeliveryObserver.NONE);
  }

  private static final class StoppedTimers implements Timers {
    @Override
    public long nowMillis() {
      return 0;
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {}
  }
}
