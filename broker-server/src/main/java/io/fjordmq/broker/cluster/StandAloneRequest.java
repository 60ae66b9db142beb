package io.fjordmq.broker.cluster;

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
 * An operator's request to continue with this node alone because all other nodes are permanently
 * lost. The node becomes the only voter of every range it holds. {@code bin/standalone.sh start
 * --alone} writes the request to a file in the data directory; the request is valid for one start.
 * Used by the thread that starts the node; blocks.
 */
final class StandAloneRequest {
  private static final Logger LOG = LoggerFactory.getLogger(StandAloneRequest.class);
  private static final String FILE = "alone";

  private StandAloneRequest() {}

  /**
   * Returns whether the operator has requested a stand-alone start, and deletes the request.
   *
   * @throws MembershipException if another node still responds
   */
  static boolean isRequested(DataDirectory directory, StartCheck check, NodeAddresses addresses)
      throws IOException, MembershipException, InterruptedException {
    Path request = directory.resolve(FILE);
    if (!Files.deleteIfExists(request)) {
      return false;
    }
    check.requireNoOtherRunning(addresses);
    LOG.warn(
        "Started with --alone: this node becomes the only voter of the metadata and of every range"
            + " it holds; data stored only on other nodes is lost; remove those nodes"
            + " ('bin/standalone.sh remove-node ID') and never start them again");
    return true;
  }
}
