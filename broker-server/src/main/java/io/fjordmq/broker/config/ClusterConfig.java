package io.fjordmq.broker.config;

import io.fjordmq.cluster.tls.ClusterTls;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * This node among others.
 *
 * @param env what people call this cluster; a node joins none that is called otherwise
 * @param host address other nodes reach this one at; empty to find it
 * @param port for calls between nodes; Raft has the next one
 * @param clusterDomainName name that resolves to the nodes, beside seedEndpoints
 * @param seedEndpoints {@code host:port} of some nodes, separated by commas
 * @param serverReference where clients reach this node, as others tell theirs when drained
 * @param certFile this node's certificate, for TLS between nodes
 * @param keyFile its key
 * @param trustFile the certificate of the authority of all nodes' certificates
 */
public record ClusterConfig(
    String env,
    String host,
    int port,
    String clusterDomainName,
    String seedEndpoints,
    String serverReference,
    String certFile,
    String keyFile,
    String trustFile) {
  public ClusterConfig {
    require(!env.isBlank(), "env must be a name");
    require(port >= 1, "port must be 1 to 65534, not " + port);
    require(port < 65_535, "port must leave the next one to Raft: 65534 at most, not " + port);
    require(
        certFile.isBlank() == keyFile.isBlank() && keyFile.isBlank() == trustFile.isBlank(),
        "certFile, keyFile and trustFile belong together: set all of them, or none");
    for (String endpoint : seedEndpoints.split(",", -1)) {
      require(
          seedEndpoints.isBlank() || endpoint.strip().matches("\\S+:[0-9]{1,5}"),
          "seedEndpoints must be host:port, separated by commas, not '" + seedEndpoints + "'");
    }
  }

  /** How nodes prove that they belong to the cluster; null for plain text. */
  public @Nullable ClusterTls tls() {
    return certFile.isBlank()
        ? null
        : new ClusterTls(Path.of(certFile), Path.of(keyFile), Path.of(trustFile));
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
