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
 * An operator's request that this node continues without the others, which are lost for good: it
 * becomes the only voter of everything it holds. {@code bin/standalone.sh start --alone} writes it
 * as a file into the data directory; it is valid for one start. Used by the starting thread;
 * blocks.
 */
final class StandAloneRequest {
  private static final Logger LOG = LoggerFactory.getLogger(StandAloneRequest.class);
  private static final String FILE = "alone";

  private StandAloneRequest() {}

  /**
   * Whether this start is to be a stand-alone start. Deletes the request.
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
        "Started with --alone: this node becomes the only voter of the metadata and of every range it holds."
            + " Data that only other nodes stored is lost. Remove those nodes"
            + " ('bin/standalone.sh remove-node ID') and never start them again");
    return true;
  }
}
