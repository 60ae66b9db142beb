package io.fjordmq.broker.config;

import io.fjordmq.cluster.tls.ClusterTls;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The addresses and TLS of this node within the cluster.
 *
 * @param env name of the cluster; a node does not join a cluster with a different name
 * @param nodeName name of this node for operators; empty for a name derived from the host
 * @param host address at which other nodes reach this one; detected if empty
 * @param port cluster port for RPCs between nodes; Raft uses the next port
 * @param clusterDomainName DNS name that resolves to the nodes, in addition to seedEndpoints
 * @param seedEndpoints comma-separated {@code host:port} addresses of some nodes
 * @param serverReference the address at which clients reach this node; other nodes send it to their
 *     clients when they drain
 * @param certFile this node's certificate, for TLS between nodes
 * @param keyFile the private key of the certificate
 * @param trustFile certificate of the CA that signed the certificates of all nodes
 */
public record ClusterConfig(
    String env,
    String nodeName,
    String host,
    int port,
    String clusterDomainName,
    String seedEndpoints,
    String serverReference,
    String certFile,
    String keyFile,
    String trustFile) {
  private static final String NODE_NAME = "[a-zA-Z0-9._@-]{1,64}";

  public ClusterConfig {
    require(!env.isBlank(), "env must not be empty");
    require(
        nodeName.isEmpty() || nodeName.matches(NODE_NAME),
        "nodeName must be 1 to 64 letters, digits, '.', '_', '-' or '@', not '" + nodeName + "'");
    require(
        port >= 1 && port < 65_535,
        "port must be between 1 and 65534 (Raft uses the next port), not " + port);
    require(
        certFile.isBlank() == keyFile.isBlank() && keyFile.isBlank() == trustFile.isBlank(),
        "certFile, keyFile and trustFile must be set together or not at all");
    for (String endpoint : seedEndpoints.split(",", -1)) {
      require(
          seedEndpoints.isBlank() || endpoint.strip().matches("\\S+:[0-9]{1,5}"),
          "seedEndpoints must be a comma-separated list of host:port, not '" + seedEndpoints + "'");
    }
  }

  /** Whether the configuration names other nodes. */
  public boolean hasSeeds() {
    return !seedEndpoints.isBlank() || !clusterDomainName.isBlank();
  }

  /** The TLS settings for connections between nodes; null for plaintext. */
  public @Nullable ClusterTls tls() {
    return certFile.isBlank()
        ? null
        : new ClusterTls(Path.of(certFile), Path.of(keyFile), Path.of(trustFile));
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
