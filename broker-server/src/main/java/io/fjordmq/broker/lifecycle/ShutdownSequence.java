package io.fjordmq.broker.lifecycle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes components in the reverse order in which they were started. A component that fails or
 * hangs does not keep the others from closing, because each component has a time limit; the process
 * therefore always exits. Durability does not depend on a clean close.
 */
public final class ShutdownSequence implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownSequence.class);

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

  /**
   * The divisor applied to the time limit once a component has hung, because the components it
   * depends on often hang as well.
   */
  private static final int REDUCED_TIMEOUT_DIVISOR = 6;

  /**
   * A component that consists of other components. Each of those has its own time limit, so the
   * composite has none.
   */
  public interface Composite extends AutoCloseable {
    /** Components that did not close in time. */
    List<String> unclosedComponents();

    @Override
    void close();
  }

  private record Component(String name, AutoCloseable closeable, Duration extraTime) {}

  private final Duration timeout;
  private final Deque<Component> started = new ArrayDeque<>();
  private final List<String> unclosedComponents = Collections.synchronizedList(new ArrayList<>());

  public ShutdownSequence() {
    this(DEFAULT_TIMEOUT);
  }

  ShutdownSequence(Duration timeout) {
    this.timeout = timeout;
  }

  public <T extends AutoCloseable> T add(String name, T part) {
    started.push(new Component(name, part, Duration.ZERO));
    return part;
  }

  /**
   * Adds a component that takes time to close even in normal operation.
   *
   * @param extraTime time added to the component's time limit
   */
  public void addSlow(String name, Duration extraTime, AutoCloseable part) {
    started.push(new Component(name, part, extraTime));
  }

  /** Components that did not close in time. Their threads may still be running. */
  public List<String> unclosedComponents() {
    return List.copyOf(unclosedComponents);
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      Component part = started.pop();
      if (part.closeable instanceof Composite composite) {
        close(part);
        unclosedComponents.addAll(composite.unclosedComponents());
      } else {
        Duration remaining =
            unclosedComponents.isEmpty() ? timeout : timeout.dividedBy(REDUCED_TIMEOUT_DIVISOR);
        closeInTime(part, part.extraTime.plus(remaining));
      }
    }
  }

  private static void close(Component part) {
    try {
      part.closeable.close();
    } catch (Exception | StackOverflowError e) {
      LOG.error("Failed to close a component; continuing shutdown component={}", part.name, e);
    }
  }

  private void closeInTime(Component part, Duration limit) {
    Thread closing = new Thread(() -> close(part), "close " + part.name);
    closing.setDaemon(true);
    closing.start();
    if (!hasEnded(closing, limit)) {
      unclosedComponents.add(part.name);
      LOG.error(
          "Component did not close within {} ms; continuing shutdown component={} stack:\n{}",
          limit.toMillis(),
          part.name,
          Arrays.stream(closing.getStackTrace())
              .map(frame -> "    at " + frame)
              .collect(Collectors.joining("\n")));
    }
  }

  private static boolean hasEnded(Thread thread, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    while (thread.isAlive()) {
      long remaining = deadline - System.nanoTime();
      if (remaining <= 0) {
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(remaining, 1_000_000));
      } catch (InterruptedException e) {
        interrupted = true; // restored below
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
