package io.fjordmq.broker.net;

/** Where a listener waits for clients. */
public sealed interface Endpoint {

  /**
   * In the network.
   *
   * @param host address of this machine; empty for all
   * @param port TCP port; 0 for any that is free
   */
  record Tcp(String host, int port) implements Endpoint {
    /**
     * @throws IllegalArgumentException if a value is out of its range; the message begins with its
     *     name
     */
    public Tcp {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
      }
    }
  }

  /**
   * On this machine: a Unix domain socket.
   *
   * @param path of the socket's file
   * @param permissions of that file, octal as for chmod: who may write to it may connect
   */
  record Unix(String path, String permissions) implements Endpoint {
    /** The kernel takes 107 bytes; the file has a longer name for a moment. */
    private static final int LONGEST_PATH = 100;

    /**
     * @throws IllegalArgumentException if a value cannot be used; the message begins with its name
     */
    public Unix {
      if (path.isBlank() || path.length() > LONGEST_PATH) {
        throw new IllegalArgumentException(
            "path must be 1 to " + LONGEST_PATH + " characters, not '" + path + "'");
      }
      if (!permissions.matches("0?[0-7]{3}")) {
        throw new IllegalArgumentException(
            "permissions must be three octal digits such as 660, not '" + permissions + "'");
      }
    }
  }
}
