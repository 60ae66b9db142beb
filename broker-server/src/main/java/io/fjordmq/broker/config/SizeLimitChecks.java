package io.fjordmq.broker.config;

import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.client.RangeClientSettings;

/**
 * Whether what the node accepts fits into what it can store: a packet into a command, a batch of
 * commands into a log entry. Where it does not, a client's large message could never be made
 * durable, and the client would repeat it for ever.
 */
final class SizeLimitChecks {
  /** What a message between nodes has beside its largest part. */
  private static final long BESIDE_BYTES = 64 << 10;

  /** What a page of messages has beside them. */
  private static final long PAGE_BESIDE_BYTES = 256 << 10;

  /** What Raft puts into one message beside a large entry. */
  private static final long RAFT_BODY_BYTES = 4 << 20;

  private SizeLimitChecks() {}

  /**
   * @param section of the sessions' settings
   * @throws IllegalArgumentException if something does not fit; names the keys and what to do
   */
  static void requireFit(
      String section,
      SessionSettings sessions,
      RangeClientSettings commands,
      BrokerConfig.RangeConfig ranges,
      ConsensusSettings consensus) {
    // A topic alias makes a topic part of the message that is not part of the packet.
    long command =
        (long) sessions.maxPacketBytes()
            + sessions.maxTopicBytes()
            + sessions.maxClientIdBytes()
            + InboxSettings.COMMAND_BYTES_BESIDE_MESSAGE;
    atLeast(
        "rangeClientConfig.maxCommandBytes",
        commands.maxCommandBytes(),
        command,
        "a packet of " + section + ".maxPacketBytes with all it is stored with");
    long single = (long) commands.maxCommandBytes() + RangeEntry.COMMAND_OVERHEAD;
    atLeast(
        "rangeConfig.maxEntryBytes",
        ranges.maxEntryBytes(),
        RangeEntry.MUTATIONS_OVERHEAD + Math.max(single, commands.maxBatchBytes()),
        "rangeClientConfig.maxCommandBytes and maxBatchBytes in a log entry");
    atLeast(
        "rangeClientConfig.maxQueuedBytes",
        commands.maxQueuedBytes(),
        commands.maxCommandBytes(),
        "rangeClientConfig.maxCommandBytes");
    atLeast(
        "consensusConfig.maxEntryBytes",
        consensus.maxEntryBytes(),
        ranges.maxEntryBytes(),
        "rangeConfig.maxEntryBytes");
  }

  /**
   * Whether a session can be told by another node what it has: when it comes back its
   * subscriptions, in a batch of answers that was nearly enough without it, and its messages page
   * by page. What does not fit it would ask for again for ever.
   *
   * @param section of the sessions' settings
   * @throws IllegalArgumentException if it does not fit; names the keys and what to do
   */
  static void requireAnswered(
      String section, SessionSettings sessions, RangeClientSettings commands, PeerSettings peers) {
    long attachment =
        (long) sessions.maxSubscriptionBytes() + Attachment.BYTES_BESIDE_SUBSCRIPTIONS;
    long others =
        commands.enoughAnswerBytes()
            + (long) commands.maxBatchCommands() * RangeEntry.COMMAND_OVERHEAD;
    atLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        others + attachment + BESIDE_BYTES,
        "rangeClientConfig.enoughAnswerBytes and " + section + ".maxSubscriptionBytes");
    // A page has at least one message, or ends behind the one that makes it large enough.
    long page =
        (long) Math.max(sessions.inboxBufferBytes(), sessions.retainedPageBytes())
            + commands.maxCommandBytes();
    atLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        page + PAGE_BESIDE_BYTES,
        "rangeClientConfig.maxCommandBytes with a page of %s.inboxBufferBytes or retainedPageBytes"
            .formatted(section));
  }

  /**
   * Whether what nodes say to each other fits into what carries it: a message that does not would
   * be sent again for ever, and everything behind it would wait.
   *
   * @throws IllegalArgumentException if something does not fit; names the keys and what to do
   */
  static void requireCarried(
      PeerSettings peers,
      TransportSettings raft,
      NodesSettings nodes,
      RangeClientSettings commands,
      BrokerConfig.RangeConfig ranges,
      ConsensusSettings consensus) {
    long batch = Math.max(nodes.maxBatchBytes(), commands.maxCommandBytes());
    atLeast(
        "peerConfig.maxMessageBytes",
        peers.maxMessageBytes(),
        Math.max(batch, ranges.maxEntryBytes()) + BESIDE_BYTES,
        "nodesConfig.maxBatchBytes, rangeClientConfig.maxCommandBytes and rangeConfig.maxEntryBytes");
    atLeast(
        "peerConfig.maxQueuedBytes",
        peers.maxQueuedBytes(),
        peers.maxMessageBytes() + BESIDE_BYTES,
        "peerConfig.maxMessageBytes");
    atLeast(
        "raftPortConfig.maxFrameBytes",
        raft.maxFrameBytes(),
        consensus.maxEntryBytes() + RAFT_BODY_BYTES,
        "consensusConfig.maxEntryBytes with the entries that go along");
  }

  private static void atLeast(String key, long value, long least, String what) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s must be at least %d, not %d, to hold %s; raise it, or lower those"
              .formatted(key, least, value, what));
    }
  }
}
