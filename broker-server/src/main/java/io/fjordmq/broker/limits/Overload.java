package io.fjordmq.broker.limits;

/**
 * Tells whether the node is overloaded. Called for every CONNECT, SUBSCRIBE and PUBLISH, on any
 * thread.
 */
@FunctionalInterface
public interface Overload {
  /** Never overloaded. */
  Overload NEVER = () -> false;

  /** Returns true while the node must refuse new work. */
  boolean isOverloaded();

  /**
   * Admits a new connection; returns false if the connection must be closed because the process is
   * short of file descriptors.
   */
  default boolean admitConnection() {
    return true;
  }

  /** Called when an admitted connection has closed. */
  default void onConnectionClosed() {}
}
