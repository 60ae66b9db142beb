package io.fjordmq.broker;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.membership.MembershipException;
import io.fjordmq.cluster.membership.NodeAddresses;
import io.fjordmq.cluster.membership.StartCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request of an operator whose other nodes are gone for good: this node is to go on without
 * them, as the only voter of all that it holds. {@code bin/standalone.sh start --alone} leaves it
 * as a file in the data directory; it counts for one start. Used by the starting thread; blocks.
 */
final class StandAloneRequest {
  private static final Logger LOG = LoggerFactory.getLogger(StandAloneRequest.class);
  private static final String FILE = "alone";

  private StandAloneRequest() {}

  /**
   * Whether this start was asked for it. The request is gone afterwards.
   *
   * @throws MembershipException if another node still answers
   */
  static boolean isRequested(DataDirectory directory, StartCheck check, NodeAddresses addresses)
      throws IOException, MembershipException, InterruptedException {
    Path request = directory.resolve(FILE);
    if (!Files.deleteIfExists(request)) {
      return false;
    }
    check.requireNoOther(addresses);
    LOG.warn(
        "Started with --alone: this node becomes the only voter of the metadata and of every range it holds."
            + " What only other nodes stored is lost. Remove them ('bin/standalone.sh remove-node ID') and never"
            + " start them again");
    return true;
  }
}
