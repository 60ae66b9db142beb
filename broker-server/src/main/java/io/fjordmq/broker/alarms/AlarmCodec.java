package io.fjordmq.broker.alarms;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests between nodes about alarms, and their responses.
 *
 * <pre>
 * Request:
 *   1  version 1
 *   1  kind: 1 list the alarms, 2 clear the history
 *
 * Response to 1:
 *   1  version 1
 *   v  number of alarms, then for each:
 *     s  name
 *     s  subject
 *     1  1 if it is cluster-wide
 *     s  message
 *     v  number of details, then for each: s name, s value
 *     v  activatedAt, in milliseconds since 1970
 *     v  deactivatedAt, 0 while it is active
 *
 * Response to 2:
 *   1  version 1
 * </pre>
 */
final class AlarmCodec {
  private static final int VERSION = 1;
  private static final int LIST = 1;
  private static final int CLEAR_HISTORY = 2;
  private static final int MIN_ALARM_BYTES = 7;

  /** A request to another node. */
  enum Request {
    LIST_ALARMS(LIST),
    CLEAR(CLEAR_HISTORY);

    private final int kind;

    Request(int kind) {
      this.kind = kind;
    }

    byte[] encode() {
      return new byte[] {VERSION, (byte) kind};
    }

    static Request decode(byte[] bytes) {
      ByteReader in = readerOf(bytes);
      int kind = in.readByte();
      in.requireEnd();
      return switch (kind) {
        case LIST -> LIST_ALARMS;
        case CLEAR_HISTORY -> CLEAR;
        default -> throw NewerFormatException.unknownKind("alarm request", kind);
      };
    }
  }

  private AlarmCodec() {}

  private static ByteReader readerOf(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("message about alarms", VERSION, in.readByte());
    return in;
  }

  static byte[] encodeCleared() {
    return new byte[] {VERSION};
  }

  /** Checks the response to {@link Request#CLEAR}. */
  static boolean decodeCleared(byte[] bytes) {
    readerOf(bytes).requireEnd();
    return true;
  }

  static byte[] encode(List<Alarm> alarms) {
    ByteWriter out = new ByteWriter(16 + 200 * alarms.size());
    out.writeByte(VERSION).writeVarint(alarms.size());
    for (Alarm alarm : alarms) {
      out.writeString(alarm.name()).writeString(alarm.subject());
      out.writeByte(alarm.clusterWide() ? 1 : 0).writeString(alarm.message());
      out.writeVarint(alarm.details().size());
      alarm.details().forEach((name, value) -> out.writeString(name).writeString(value));
      Instant end = alarm.deactivatedAt();
      out.writeVarint(alarm.activatedAt().toEpochMilli());
      out.writeVarint(end == null ? 0 : end.toEpochMilli());
    }
    return out.toByteArray();
  }

  static List<Alarm> decode(byte[] bytes) {
    ByteReader in = readerOf(bytes);
    int count = in.readCount(MIN_ALARM_BYTES);
    List<Alarm> alarms = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      alarms.add(
          new Alarm(
              in.readString(),
              in.readString(),
              in.readByte() != 0,
              in.readString(),
              readDetails(in),
              Instant.ofEpochMilli(in.readVarint()),
              end(in.readVarint())));
    }
    in.requireEnd();
    return alarms;
  }

  private static Map<String, String> readDetails(ByteReader in) {
    Map<String, String> details = new TreeMap<>();
    for (int left = in.readCount(2); left > 0; left--) {
      details.put(in.readString(), in.readString());
    }
    return details;
  }

  private static @Nullable Instant end(long millis) {
    return millis == 0 ? null : Instant.ofEpochMilli(millis);
  }
}
