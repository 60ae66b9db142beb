package io.fjordmq.perf.users;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Knows the users of a broker under load, for as long as it is open. */
public interface UserService extends AutoCloseable {
  /**
   * Returns the configuration of FjordMQ nodes that use it, as YAML. It also admits anonymous
   * clients from this host, without permissions, because the tool checks whether a node accepts
   * one.
   */
  String configuration();

  /**
   * Returns a configuration with one provider for users and one for rules.
   *
   * @param authentication settings of the first, without braces
   * @param authorization settings of the second, without braces
   */
  static String providers(String authentication, String authorization) {
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication: [{%s}]
      authorization: [{%s}]
    """
        .formatted(authentication, authorization);
  }

  /**
   * Returns the lines of mosquitto.conf.
   *
   * @throws UsageException if mosquitto cannot use it
   */
  default String mosquittoConfiguration() {
    throw new UsageException("mosquitto can read users from files only");
  }

  /**
   * Called when all nodes of a broker serve clients, for users that the nodes store themselves.
   * Blocks.
   *
   * @param checkout checkout of the nodes
   * @param node directory of one of the nodes
   */
  default void fill(Path checkout, Path node) throws IOException, InterruptedException {}

  /** Returns what it has done so far; empty if this cannot be observed. Blocks. */
  default Optional<ServiceUsage> usage() {
    return Optional.empty();
  }

  /** Stops its processes and deletes its own temporary files. */
  @Override
  default void close() {}
}
