package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.SPI;
import com.alipay.sofa.jraft.util.timer.DefaultRaftTimerFactory;

/**
 * Makes jraft use {@link AlignedScheduler}. jraft loads this factory as a service and keeps one
 * static instance. The only option of a group that jraft passes to it is the number of timer
 * threads, which shared timers ignore. {@link GroupNodeOptions} sets that number to the heartbeat
 * interval.
 */
@SPI(priority = 10)
public final class AlignedTimerFactory extends DefaultRaftTimerFactory {

  @Override
  public Scheduler getRaftScheduler(boolean shared, int heartbeatMillis, String name) {
    Scheduler scheduler = super.getRaftScheduler(shared, heartbeatMillis, name);
    return shared ? new AlignedScheduler(scheduler, heartbeatMillis, System::nanoTime) : scheduler;
  }
}
