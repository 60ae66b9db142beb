package io.fjordmq.broker;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started, to be closed in reverse; one part that fails to close does not stop the
 * others.
 */
final class Parts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

  private record Part(String name, AutoCloseable closing) {}

  private final Deque<Part> started = new ArrayDeque<>();

  <T extends AutoCloseable> T add(String name, T part) {
    started.push(new Part(name, part));
    return part;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      Part part = started.pop();
      try {
        part.closing.close();
      } catch (Exception e) {
        LOG.error("{} did not close cleanly", part.name, e);
      }
    }
  }
}
