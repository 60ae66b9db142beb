package io.fjordmq.broker.cluster;

import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import io.fjordmq.range.store.RangeStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Provides the initial ranges when a node starts. The node that creates the cluster creates the
 * ranges; every other node receives their descriptors with the metadata. Used by the thread that
 * starts the node; blocks.
 */
final class InitialRanges {
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(30);
  private static final long MAX_BATCH_BYTES = 256 << 10;

  private final ClusterNode node;
  private final RangeStore ranges;
  private final RangeDirectory directory;
  private final List<StoreSpec> specs;

  /**
   * @param directory must already be following the metadata
   */
  InitialRanges(
      ClusterNode node, RangeStore ranges, RangeDirectory directory, List<StoreSpec> specs) {
    this.node = node;
    this.ranges = ranges;
    this.directory = directory;
    this.specs = specs;
  }

  /**
   * Creates the first ranges if the cluster has none. Only a new cluster has none, and this node is
   * its only member. Once the ranges are published, the cluster has all of its contents.
   */
  void createIfNew(List<StorePlacement> voters, InitialContents contents)
      throws IOException, StartException {
    ReplicaSet alone = ReplicaSet.ofVoters(node.self());
    if (directory.ranges().isEmpty() && node.metadata().status().replicas().equals(alone)) {
      create(voters, contents, alone);
    }
    contents.onCreated();
  }

  private void create(List<StorePlacement> voters, InitialContents contents, ReplicaSet alone)
      throws IOException, StartException {
    List<RangeDescriptor> initial = new ArrayList<>();
    for (StoreSpec spec : specs) {
      initial.addAll(contents.ranges(spec, alone));
    }
    contents.load(ranges);
    ranges.createInitialRanges(initial);
    for (List<Change> batch : batches(contents.records())) {
      write(batch);
    }
    List<Change> first = new ArrayList<>(RangeDirectory.initialChanges(initial));
    first.addAll(VoterCounts.initialChanges(voters));
    if (write(first) instanceof WriteResult.Conflict conflict) {
      throw new StartException(
          "cannot create the first ranges because the cluster already has a range: "
              + conflict.key());
    }
  }

  private static List<List<Change>> batches(List<Change> changes) {
    List<List<Change>> batches = new ArrayList<>();
    long bytes = MAX_BATCH_BYTES;
    for (Change change : changes) {
      byte[] value = change.value();
      long size = change.key().length() + (value == null ? 0 : value.length);
      bytes += size;
      if (bytes > MAX_BATCH_BYTES) {
        batches.add(new ArrayList<>());
        bytes = size;
      }
      batches.get(batches.size() - 1).add(change);
    }
    return batches;
  }

  private WriteResult write(List<Change> batch) throws StartException {
    try {
      return node.membership().write(batch).get(WRITE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new StartException("cannot register the first ranges: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while registering the first ranges", e);
    }
  }

  /** Waits for the range descriptors, which a joining node receives with the metadata. */
  void await(Duration timeout) throws StartException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (specs.stream().anyMatch(spec -> directory.ranges(spec.name()).isEmpty())) {
      if (System.nanoTime() > deadline) {
        throw new StartException(
            "did not receive any range descriptors from the cluster within "
                + timeout.toSeconds()
                + " s (storeConfig.leaderTimeout); see the logs of the other nodes");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
