package io.fjordmq.auth.connection;

import io.fjordmq.api.auth.ProviderSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * The address of a server.
 *
 * @param host a name or an IP address, an IPv6 address without brackets
 */
public record ServerAddress(String host, int port) {
  private static final int MAX_PORT = 65_535;

  /**
   * Reads the key {@code servers}: addresses separated by commas.
   *
   * @param defaultPort the port of addresses without one
   * @return at least one address
   * @throws IllegalArgumentException if there is none or one is invalid; the message begins with
   *     the key
   */
  public static List<ServerAddress> listOf(ProviderSettings settings, int defaultPort) {
    List<ServerAddress> servers = new ArrayList<>();
    for (String server : settings.list("servers")) {
      servers.add(parse(settings, server, defaultPort));
    }
    if (servers.isEmpty()) {
      settings.text("servers"); // reports that it is missing
      throw settings.invalid("servers", "HOST:PORT, separated by commas", settings.text("servers"));
    }
    return List.copyOf(servers);
  }

  /**
   * Reads one address.
   *
   * @throws IllegalArgumentException if it is invalid; the message begins with {@code servers}
   */
  public static ServerAddress parse(ProviderSettings settings, String server, int defaultPort) {
    int colon = server.lastIndexOf(':');
    boolean hasPort = colon > 0 && server.indexOf(']', colon) < 0;
    String host = hasPort ? server.substring(0, colon) : server;
    int port = defaultPort;
    if (hasPort) {
      try {
        port = Integer.parseInt(server.substring(colon + 1));
      } catch (NumberFormatException e) {
        port = -1;
      }
    }
    String plain =
        host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    if (port < 1 || port > MAX_PORT || !plain.matches("[^\\s/?&()=,@]+")) {
      throw settings.invalid("servers", "HOST:PORT, separated by commas", server);
    }
    return new ServerAddress(plain, port);
  }

  /** Whether this is {@code localhost} or a loopback address. Looks up no names. */
  public boolean isLoopback() {
    if (host.equalsIgnoreCase("localhost")) {
      return true;
    }
    boolean name = host.indexOf(':') < 0 && !host.matches("[0-9.]+");
    try {
      return !name && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The address as in the configuration. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
