package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryDecoder;
import com.alipay.sofa.jraft.entity.codec.LogEntryEncoder;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes log entries for the database. The format is flat: data is copied once when written and
 * not at all when read.
 *
 * <pre>
 * version u8 = 1 | type u8 | term u64 | index u64 | body
 *
 * body of a data entry (type 2):           the data, to the end
 * body of a configuration entry (type 3):  peers | old peers | learners | old learners,
 *                                          each: count u16, then strings "node:port"
 * body of an empty entry (type 1):         nothing
 * </pre>
 */
public final class EntryCodec implements LogEntryCodecFactory {
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 18;

  @Override
  public LogEntryEncoder encoder() {
    return EntryCodec::encode;
  }

  @Override
  public LogEntryDecoder decoder() {
    return EntryCodec::decode;
  }

  public static byte[] encode(LogEntry entry) {
    if (entry.getType() == EntryType.ENTRY_TYPE_CONFIGURATION) {
      return encodeConfiguration(entry);
    }
    ByteBuffer data = entry.getData() == null ? LogEntry.EMPTY_DATA : entry.getData();
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + data.remaining());
    out.put(VERSION).put((byte) entry.getType().getNumber());
    out.putLong(entry.getId().getTerm()).putLong(entry.getId().getIndex());
    out.put(data.duplicate());
    return out.array();
  }

  private static byte[] encodeConfiguration(LogEntry entry) {
    ByteWriter out =
        new ByteWriter(128)
            .writeByte(VERSION)
            .writeByte(entry.getType().getNumber())
            .writeLong(entry.getId().getTerm())
            .writeLong(entry.getId().getIndex());
    writePeers(out, entry.getPeers());
    writePeers(out, entry.getOldPeers());
    writePeers(out, entry.getLearners());
    writePeers(out, entry.getOldLearners());
    return out.toByteArray();
  }

  private static void writePeers(ByteWriter out, @Nullable List<PeerId> peers) {
    out.writeShort(peers == null ? 0 : peers.size());
    if (peers != null) {
      peers.forEach(peer -> out.writeString(peer.toString()));
    }
  }

  /**
   * @throws io.fjordmq.common.MalformedBytesException if the bytes are not a valid entry
   */
  public static LogEntry decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("log entry", VERSION, in.readByte());
    LogEntry entry = new LogEntry(EntryType.forNumber(in.readByte()));
    long term = in.readLong();
    entry.setId(new LogId(in.readLong(), term));
    if (entry.getType() == EntryType.ENTRY_TYPE_CONFIGURATION) {
      entry.setPeers(readPeers(in));
      entry.setOldPeers(readPeers(in));
      entry.setLearners(readPeers(in));
      entry.setOldLearners(readPeers(in));
      in.requireEnd();
    } else {
      entry.setData(ByteBuffer.wrap(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES).slice());
    }
    return entry;
  }

  // jraft expects null instead of an empty list.
  private static @Nullable List<PeerId> readPeers(ByteReader in) {
    int count = in.readShort();
    if (count == 0) {
      return null;
    }
    List<PeerId> peers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      peers.add(PeerNames.parse(in.readString()));
    }
    return peers;
  }
}
