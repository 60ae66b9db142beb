package io.fjordmq.broker.limits;

/**
 * Whether the node has too much to do. Asked for every CONNECT, SUBSCRIBE and PUBLISH; any thread.
 */
@FunctionalInterface
public interface Overload {
  /** Never. */
  Overload NEVER = () -> false;

  /** True while new work is to be refused. */
  boolean isOverloaded();
}
