package io.fjordmq.broker.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.MemoryBroker;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * A broker that checks its final state: no session is left, every buffer was released, and nothing
 * was logged as an error. Exceptions that reach the end of a pipeline propagate to the call that
 * caused them.
 */
final class FuzzedBroker implements AutoCloseable {
  /** Small, so that inputs of a few hundred bytes reach the limits. */
  private static final SessionSettings SMALL =
      MemoryBroker.settings(
          Map.of(
              "maxPacketBytes", 2_000,
              "maxTopicLevels", 4,
              "receiveMaximum", 4,
              "maxPendingPublishes", 3,
              "topicAliasMaximum", 2,
              "outboundTopicAliases", 2,
              "maxInflight", 3,
              "maxQueuedMessages", 4,
              "maxSubscriptions", 4,
              "maxPendingSubscribes", 2));

  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger log;
  private final MemoryBroker broker;

  FuzzedBroker() {
    this(SMALL);
  }

  FuzzedBroker(SessionSettings settings) {
    broker = new MemoryBroker(settings, buffers);
    log = (Logger) LoggerFactory.getLogger("io.fjordmq");
    log.setLevel(Level.WARN);
    logged.start();
    log.addAppender(logged);
  }

  MemoryBroker broker() {
    return broker;
  }

  UnpooledByteBufAllocator buffers() {
    return buffers;
  }

  /** Cuts all connections and checks the remaining state. */
  @Override
  public void close() {
    try {
      broker.close();
    } finally {
      log.detachAppender(logged);
    }
    requireNoLeftovers();
  }

  void requireNoLeftovers() {
    require(broker.sessions() == 0, "sessions not ended: " + broker.sessions());
    long bytes = buffers.metric().usedHeapMemory() + buffers.metric().usedDirectMemory();
    require(bytes == 0, "bytes in unreleased buffers: " + bytes);
    String thread = Thread.currentThread().getName();
    List<ILoggingEvent> errors =
        logged.list.stream()
            .filter(event -> event.getLevel() == Level.ERROR)
            .filter(event -> event.getThreadName().equals(thread)) // others run other tests' ends
            .toList();
    require(errors.isEmpty(), "logged as an error: " + errors);
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
