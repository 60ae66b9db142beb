package io.fjordmq.broker.cluster;

import io.fjordmq.broker.config.ClusterConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name under which operators know this node. */
public final class NodeName {
  private static final int DEFAULT_PORT = 8899;
  private static final int MAX_LENGTH = 64;

  /** Avoids the name service, which may be slow. */
  private static final Path LINUX_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  private NodeName() {}

  /**
   * Returns the configured name. The default is the name of the host; nodes that do not use the
   * default cluster port add their port, so that several nodes on one host have different names.
   * Reads a file or asks the name service; may block.
   *
   * @param fallback the name if the host has none
   */
  public static String of(ClusterConfig config, String fallback) {
    return config.nodeName().isEmpty()
        ? of(hostName(), config.port(), fallback)
        : config.nodeName();
  }

  /** Returns the default name. */
  static String of(String host, int port, String fallback) {
    String valid = host.strip().replaceAll("[^a-zA-Z0-9._-]", "-");
    if (valid.isEmpty() || valid.equals("localhost")) {
      return fallback;
    }
    String suffix = port == DEFAULT_PORT ? "" : "-" + port;
    return valid.substring(0, Math.min(valid.length(), MAX_LENGTH - suffix.length())) + suffix;
  }

  private static String hostName() {
    try {
      if (Files.exists(LINUX_HOST_NAME)) {
        return Files.readString(LINUX_HOST_NAME);
      }
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return ""; // the host does not know its own name
    }
  }
}
