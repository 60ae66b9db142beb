package io.fjordmq.broker.net;

/** The address of a listener. */
public sealed interface Endpoint {

  /**
   * A TCP address.
   *
   * @param host local address; empty for all
   * @param port TCP port; 0 for any free one
   */
  record Tcp(String host, int port) implements Endpoint {
    /**
     * @throws IllegalArgumentException if a value is out of range; the message begins with its name
     */
    public Tcp {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port must be between 0 and 65535, not " + port);
      }
    }
  }

  /**
   * A Unix domain socket.
   *
   * @param path of the socket file
   * @param permissions of that file, octal as for chmod: processes that may write to it may connect
   */
  record Unix(String path, String permissions) implements Endpoint {
    /** The kernel accepts 107 bytes; the file temporarily has a longer name. */
    private static final int MAX_PATH_LENGTH = 100;

    /**
     * @throws IllegalArgumentException if a value is invalid; the message begins with its name
     */
    public Unix {
      if (path.isBlank() || path.length() > MAX_PATH_LENGTH) {
        throw new IllegalArgumentException(
            "path must be between 1 and " + MAX_PATH_LENGTH + " characters, not '" + path + "'");
      }
      if (!permissions.matches("0?[0-7]{3}")) {
        throw new IllegalArgumentException(
            "permissions must be three octal digits such as 660, not '" + permissions + "'");
      }
    }
  }
}
