package io.fjordmq.broker.config;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.client.RangeClientSettings;

/**
 * Checks that size limits are consistent: a packet must fit into a command, a batch of commands
 * into a log entry, and a response into a message between nodes. Otherwise a large message could
 * never be stored, and the client would resend it forever.
 */
final class SizeLimitChecks {
  /** Upper bound for the size of a message between nodes excluding its largest part. */
  private static final long OVERHEAD_BYTES = 64 << 10;

  /** Upper bound for the overhead of a page of messages. */
  private static final long PAGE_OVERHEAD_BYTES = 256 << 10;

  /** Upper bound for the other entries that Raft sends in the same message as a large entry. */
  private static final long RAFT_BODY_BYTES = 4 << 20;

  private SizeLimitChecks() {}

  /**
   * Checks that any message a client may send can be stored.
   *
   * @param section the configuration section of the session settings
   * @throws IllegalArgumentException if a limit is too small; the message names the keys and the
   *     remedy
   */
  static void requireFit(
      String section,
      SessionSettings sessions,
      RangeClientSettings commands,
      RangeConfig ranges,
      ConsensusSettings consensus) {
    // With a topic alias, the message contains the topic but the packet does not.
    long command =
        (long) sessions.maxPacketBytes()
            + sessions.maxTopicBytes()
            + sessions.maxClientIdBytes()
            + InboxSettings.COMMAND_BYTES_BESIDE_MESSAGE;
    requireAtLeast(
        "rangeClientConfig.maxCommandBytes",
        commands.maxCommandBytes(),
        command,
        "a packet of " + section + ".maxPacketBytes and everything stored with it");
    long single = (long) commands.maxCommandBytes() + RangeEntry.COMMAND_OVERHEAD;
    requireAtLeast(
        "rangeConfig.maxEntryBytes",
        ranges.replicas().maxEntryBytes(),
        RangeEntry.MUTATIONS_OVERHEAD + Math.max(single, commands.maxBatchBytes()),
        "a log entry of rangeClientConfig.maxCommandBytes or maxBatchBytes");
    requireAtLeast(
        "rangeClientConfig.maxQueuedBytes",
        commands.maxQueuedBytes(),
        commands.maxCommandBytes(),
        "rangeClientConfig.maxCommandBytes");
    requireAtLeast(
        "consensusConfig.maxEntryBytes",
        consensus.maxEntryBytes(),
        ranges.replicas().maxEntryBytes(),
        "rangeConfig.maxEntryBytes");
  }

  /**
   * Checks that a resuming session can fetch its state from another node. Its subscriptions must
   * fit into a batch of responses that is already nearly full, and each page of its messages must
   * fit into one message. Otherwise the session would retry forever.
   *
   * @param section the configuration section of the session settings
   * @throws IllegalArgumentException if a limit is too small; the message names the keys and the
   *     remedy
   */
  static void requireResponseSize(
      String section, SessionSettings sessions, RangeClientSettings commands, PeerSettings peers) {
    long attachment =
        (long) sessions.maxSubscriptionBytes() + Attachment.BYTES_BESIDE_SUBSCRIPTIONS;
    long others =
        commands.maxBatchResponseBytes()
            + (long) commands.maxBatchCommands() * RangeEntry.COMMAND_OVERHEAD;
    requireAtLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        others + attachment + OVERHEAD_BYTES,
        "rangeClientConfig.maxBatchResponseBytes and " + section + ".maxSubscriptionBytes");
    // A page ends only after the message that reaches its size limit.
    long page =
        (long) Math.max(sessions.inboxBufferBytes(), sessions.retainedPageBytes())
            + commands.maxCommandBytes();
    requireAtLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        page + PAGE_OVERHEAD_BYTES,
        "rangeClientConfig.maxCommandBytes and a page of %s.inboxBufferBytes or retainedPageBytes"
            .formatted(section));
  }

  /**
   * Checks that messages between nodes fit into frames and queues. A message that does not fit
   * would be resent forever and block all messages behind it.
   *
   * @throws IllegalArgumentException if a limit is too small; the message names the keys and the
   *     remedy
   */
  static void requireEntrySize(
      PeerSettings peers,
      TransportSettings raft,
      NodesSettings nodes,
      RangeClientSettings commands,
      RangeConfig ranges,
      ConsensusSettings consensus) {
    long batch = Math.max(nodes.maxBatchBytes(), commands.maxCommandBytes());
    requireAtLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        Math.max(batch, ranges.replicas().maxEntryBytes()) + OVERHEAD_BYTES,
        "nodesConfig.maxBatchBytes, rangeClientConfig.maxCommandBytes and"
            + " rangeConfig.maxEntryBytes");
    requireAtLeast(
        "peerConfig.maxQueuedBytes",
        peers.maxQueuedBytes(),
        peers.maxMessageBytes() + OVERHEAD_BYTES,
        "peerConfig.maxMessageBytes");
    requireAtLeast(
        "raftPortConfig.maxFrameBytes",
        raft.maxFrameBytes(),
        consensus.maxEntryBytes() + RAFT_BODY_BYTES,
        "consensusConfig.maxEntryBytes and the other entries in the same message");
  }

  private static void requireAtLeast(String key, long value, long min, String what) {
    if (value < min) {
      throw new IllegalArgumentException(
          "%s must be at least %d, not %d, to hold %s; raise it or lower those limits"
              .formatted(key, min, value, what));
    }
  }
}
