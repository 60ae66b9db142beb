package io.fjordmq.broker.limits;

/**
 * Tells whether the node is overloaded. Called for every CONNECT, SUBSCRIBE and PUBLISH, on any
 * thread.
 */
@FunctionalInterface
public interface Overload {
  /** Never overloaded. */
  Overload NEVER = () -> false;

  /** True while new work has to be refused. */
  boolean isOverloaded();

  /** Admits a new connection; false if it must be closed because file descriptors are short. */
  default boolean admitConnection() {
    return true;
  }

  /** An admitted connection has closed. */
  default void onConnectionClosed() {}
}
