package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.fjordmq.api.MalformedBytesException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Term and vote of one replica inside the {@link SharedLog}; every vote is synced before it is
 * given. jraft calls it under the replica's lock, its log calls {@link #saveAgain}.
 *
 * <p>jraft goes on in a term that could not be saved (it only logs that, in {@code
 * NodeImpl.stepDown}), so this class does so, too: what it saves next is of that term, and nothing
 * that belongs to the term is acknowledged before. Otherwise a vote of the term would be saved as
 * one of the term before, and after a crash be given to somebody else.
 */
final class GroupVote implements RaftMetaStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupVote.class);

  private final GroupId id;
  private final Row row;

  /** As jraft has it; the row may be behind. */
  private volatile HardState state = HardState.INITIAL;

  private volatile boolean unsaved;

  /** Where the state is kept. */
  interface Row {
    /** Null if nothing was ever written. */
    byte @Nullable [] read() throws RocksDBException;

    /** Returns once it is on the disk. */
    void write(byte[] value) throws RocksDBException;
  }

  GroupVote(GroupId id, Row row) {
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
      LOG.error("Cannot read term and vote group={}", id, e);
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
   * Saves what could not be saved before, if there is something.
   *
   * @return whether a crash would forget nothing of it
   */
  boolean saveAgain() {
    if (!unsaved) {
      return true;
    }
    synchronized (this) {
      return !unsaved || save(state);
    }
  }
}
