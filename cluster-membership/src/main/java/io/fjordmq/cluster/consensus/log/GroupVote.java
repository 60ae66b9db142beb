package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.common.MalformedBytesException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Term and vote of one replica inside the {@link SharedLog}. Every vote is synced before it is
 * granted. jraft calls this class under the replica's lock; {@link GroupLog} calls {@link
 * #retryFailedSave}.
 *
 * <p>jraft continues in a term that it failed to save ({@code NodeImpl.stepDown} only logs the
 * failure). Therefore this class keeps that term in memory: the next save includes it, and nothing
 * in the term is acknowledged before that. Otherwise a vote of the new term would be saved under
 * the previous term, and after a crash the replica could vote again in the new term.
 */
public final class GroupVote implements RaftMetaStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupVote.class);

  private final GroupId id;
  private final Row row;

  /** The state as jraft knows it; the stored row may be older. */
  private volatile HardState state = HardState.INITIAL;

  private volatile boolean unsaved;

  /** The database row that stores the state. */
  public interface Row {
    /** Returns null if the row was never written. */
    byte @Nullable [] read() throws RocksDBException;

    /** Returns once the value is synced. */
    void write(byte[] value) throws RocksDBException;
  }

  public GroupVote(GroupId id, Row row) {
    this.id = id;
    this.row = row;
  }

  @Override
  public boolean init(RaftMetaStorageOptions options) {
    try {
      byte[] found = row.read();
      state = found == null ? HardState.INITIAL : HardState.decode(found);
      return true;
    } catch (RocksDBException | MalformedBytesException e) {
      LOG.error("Failed to read term and vote; the replica cannot start group={}", id, e);
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

  private synchronized boolean save(HardState next) {
    state = next;
    unsaved = true;
    try {
      row.write(next.encode());
      unsaved = false;
      return true;
    } catch (RocksDBException e) {
      LOG.warn(
          "Failed to save term and vote: {} group={} term={}", e.getMessage(), id, next.term());
      return false;
    }
  }

  /**
   * Retries the last save if it failed.
   *
   * @return whether term and vote are durable
   */
  boolean retryFailedSave() {
    if (!unsaved) {
      return true;
    }
    synchronized (this) {
      return !unsaved || save(state);
    }
  }
}
