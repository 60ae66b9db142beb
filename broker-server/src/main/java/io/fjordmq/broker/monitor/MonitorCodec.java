package io.fjordmq.broker.monitor;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests between nodes about measured values, and their responses. Values have names, so that
 * a node skips those of later versions.
 *
 * <pre>
 * Request:
 *   1  version 1
 *   1  kind: 1 samples, 2 current values, 3 counters
 *   v  only for kind 1: number of seconds before now
 *
 * Response to 1:
 *   1  version 1
 *   v  number of series, then s label of each
 *   v  number of samples, then for each: v time in milliseconds since 1970, and for each series:
 *      v value + 1; 0 if it is unknown
 *
 * Response to 2 and 3:
 *   1  version 1
 *   v  number of values, then for each: s name, v value
 * </pre>
 */
final class MonitorCodec {
  static final int SAMPLES = 1;
  static final int CURRENT = 2;
  static final int COUNTERS = 3;
  private static final int VERSION = 1;
  private static final int MAX_SERIES = 1_000;

  /**
   * A request.
   *
   * @param seconds 0 unless samples are requested
   */
  record Request(int kind, int seconds) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(8).writeByte(VERSION).writeByte(kind);
      if (kind == SAMPLES) {
        out.writeVarint(seconds);
      }
      return out.toByteArray();
    }

    static Request decode(byte[] bytes) {
      ByteReader in = readerOf(bytes);
      int kind = in.readByte();
      if (kind < SAMPLES || kind > COUNTERS) {
        throw NewerFormatException.unknownKind("monitor request", kind);
      }
      Request request = new Request(kind, kind == SAMPLES ? in.readInt() : 0);
      in.requireEnd();
      return request;
    }
  }

  private MonitorCodec() {}

  private static ByteReader readerOf(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("message about measured values", VERSION, in.readByte());
    return in;
  }

  static byte[] encode(List<Sample> samples) {
    Series[] all = Series.values();
    ByteWriter out = new ByteWriter(512 + samples.size() * all.length * 3);
    out.writeByte(VERSION).writeVarint(all.length);
    for (Series series : all) {
      out.writeString(series.label());
    }
    out.writeVarint(samples.size());
    for (Sample sample : samples) {
      out.writeVarint(sample.timeMillis());
      for (Series series : all) {
        out.writeVarint(sample.value(series) + 1);
      }
    }
    return out.toByteArray();
  }

  static List<Sample> decodeSamples(byte[] bytes) {
    ByteReader in = readerOf(bytes);
    int width = in.readCount(1);
    if (width > MAX_SERIES) {
      throw new MalformedBytesException("too many series: " + width);
    }
    List<@Nullable Series> columns = new ArrayList<>(width);
    for (int i = 0; i < width; i++) {
      columns.add(Series.find(in.readString()));
    }
    int count = in.readCount(1 + width);
    List<Sample> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Sample.Builder sample = Sample.at(in.readVarint());
      for (Series series : columns) {
        long value = in.readVarint() - 1;
        if (series != null) {
          sample.set(series, value);
        }
      }
      samples.add(sample.build());
    }
    in.requireEnd();
    return samples;
  }

  static byte[] encode(Map<String, Long> values) {
    ByteWriter out = new ByteWriter(16 + values.size() * 32);
    out.writeByte(VERSION).writeVarint(values.size());
    values.forEach((name, value) -> out.writeString(name).writeVarint(value));
    return out.toByteArray();
  }

  static Map<String, Long> decodeValues(byte[] bytes) {
    ByteReader in = readerOf(bytes);
    Map<String, Long> values = new LinkedHashMap<>();
    for (int left = in.readCount(2); left > 0; left--) {
      values.put(in.readString(), in.readVarint());
    }
    in.requireEnd();
    return values;
  }
}
