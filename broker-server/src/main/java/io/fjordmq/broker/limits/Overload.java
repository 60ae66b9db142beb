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

  /** Counts a new connection in; false if it has to be closed, for want of file descriptors. */
  default boolean admitConnection() {
    return true;
  }

  /** A connection that was admitted has ended. */
  default void connectionEnded() {}
}
