package io.fjordmq.auth.connection;

import io.fjordmq.api.auth.ProviderSettings;
import java.net.URI;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections without TLS, which carry passwords, hashes or rules. */
public final class PlaintextWarning {
  private static final Logger LOG = LoggerFactory.getLogger(PlaintextWarning.class);

  private PlaintextWarning() {}

  /** Logs a warning if one of the servers of a provider without TLS is on another host. */
  public static void warnIfRemote(ProviderSettings settings, List<ServerAddress> servers) {
    List<ServerAddress> remote = servers.stream().filter(one -> !one.isLoopback()).toList();
    if (!remote.isEmpty()) {
      warn("set " + settings.path() + ".tls", remote);
    }
  }

  /**
   * Logs a warning if a URL has the scheme http and names another host.
   *
   * @param key the setting that contains the URL
   */
  public static void warnIfRemote(ProviderSettings settings, String key, URI url) {
    String host = url.getHost();
    if (host == null || !"http".equalsIgnoreCase(url.getScheme())) {
      return;
    }
    ServerAddress server =
        new ServerAddress(host.replaceAll("[\\[\\]]", ""), Math.max(url.getPort(), 0));
    if (!server.isLoopback()) {
      warn("use https in " + settings.path() + "." + key, host);
    }
  }

  private static void warn(String remedy, Object servers) {
    LOG.warn(
        "Connections to other hosts are not encrypted: passwords can be read and responses changed"
            + " in transit; {} servers={}",
        remedy,
        servers);
  }
}
