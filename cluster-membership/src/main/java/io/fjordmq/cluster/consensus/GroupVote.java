package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.fjordmq.api.MalformedBytesException;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Term and vote of one replica inside the {@link SharedLog}; every change is synced before it is
 * acted upon. jraft calls it under the replica's lock.
 */
final class GroupVote implements RaftMetaStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupVote.class);

  private final GroupId id;
  private final byte[] key;
  private final SharedLog shared;
  private HardState state = HardState.INITIAL;

  GroupVote(GroupId id, GroupRecord record, SharedLog shared) {
    this.id = id;
    this.key = LogKeys.hardState(record.number());
    this.shared = shared;
  }

  @Override
  public boolean init(RaftMetaStorageOptions options) {
    try {
      byte[] found = shared.raft(key);
      state = found == null ? HardState.INITIAL : HardState.decode(found);
      return true;
    } catch (RocksDBException | MalformedBytesException e) {
      LOG.error("group {}: cannot read its term and vote", id, e);
      return false;
    }
  }

  @Override
  public void shutdown() {
    // The database belongs to the host.
  }

  @Override
  public long getTerm() {
    return state.term();
  }

  @Override
  public PeerId getVotedFor() {
    return state.vote().isEmpty() ? PeerId.emptyPeer() : PeerNames.parse(state.vote());
  }

  @Override
  public boolean setTerm(long term) {
    return save(new HardState(term, state.vote()));
  }

  @Override
  public boolean setVotedFor(PeerId peer) {
    return save(new HardState(state.term(), text(peer)));
  }

  @Override
  public boolean setTermAndVotedFor(long term, PeerId peer) {
    return save(new HardState(term, text(peer)));
  }

  private static String text(PeerId peer) {
    return peer.isEmpty() ? "" : peer.toString();
  }

  private boolean save(HardState next) {
    try (SharedLog.Batch batch = shared.batch()) {
      batch.put(key, next.encode()).commit(true);
      state = next;
      return true;
    } catch (RocksDBException e) {
      LOG.warn("group {}: term {} was not saved: {}", id, next.term(), e.getMessage());
      return false;
    }
  }
}
