package io.fjordmq.broker.net;

/** The address of a listener. */
public sealed interface Endpoint {

  /**
   * A TCP address.
   *
   * @param host local address to listen on; empty for all addresses
   * @param port TCP port to listen on; 0 for any free port
   */
  record Tcp(String host, int port) implements Endpoint {
    /**
     * @throws IllegalArgumentException if a value is out of range; the message begins with the name
     *     of the setting
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
   * @param path the path of the socket file
   * @param permissions the permissions of that file, in octal as for chmod; processes with write
   *     permission can connect
   */
  record Unix(String path, String permissions) implements Endpoint {
    /**
     * The maximum length of a path. The kernel accepts 107 bytes, but the file temporarily has a
     * longer name.
     */
    private static final int MAX_PATH_LENGTH = 100;

    /**
     * @throws IllegalArgumentException if a value is invalid; the message begins with the name of
     *     the setting
     */
    public Unix {
      if (path.isBlank() || path.length() > MAX_PATH_LENGTH) {
        throw new IllegalArgumentException(
            "path must be 1 to " + MAX_PATH_LENGTH + " characters long, not '" + path + "'");
      }
      if (!permissions.matches("0?[0-7]{3}")) {
        throw new IllegalArgumentException(
            "permissions must be three octal digits such as 660, not '" + permissions + "'");
      }
    }
  }
}
