package io.fjordmq.broker.query;

import io.fjordmq.broker.topicmetrics.TopicReading;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.HashMap;
import java.util.Map;

/** The calls between nodes about topic metrics. */
final class TopicMetricCodec {
  /*
   * Request:
   *   1  version 1 | s tenant
   *
   * Response:
   *   1  version 1 | v topics, then for each topic:
   *      s topic | v counters | for each counter: v count, 8 messages per second (IEEE 754)
   */
  static final String SERVICE = "topic-metrics";
  private static final int VERSION = 1;
  private static final int MIN_TOPIC_BYTES = 2;
  private static final int MIN_COUNTER_BYTES = 9;

  private TopicMetricCodec() {}

  static byte[] encodeRequest(String tenant) {
    return new ByteWriter(32).writeByte(VERSION).writeString(tenant).toByteArray();
  }

  static String decodeRequest(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a request for topic metrics", VERSION, in.readByte());
    String tenant = in.readString();
    in.requireEnd();
    return tenant;
  }

  static byte[] encode(Map<String, TopicReading> readings) {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeVarint(readings.size());
    readings.forEach(
        (topic, reading) -> {
          long[] counts = reading.counts();
          out.writeString(topic).writeVarint(counts.length);
          for (int i = 0; i < counts.length; i++) {
            out.writeVarint(counts[i]).writeLong(Double.doubleToLongBits(reading.rates()[i]));
          }
        });
    return out.toByteArray();
  }

  static Map<String, TopicReading> decodeResponse(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("topic metrics", VERSION, in.readByte());
    int topics = in.readCount(MIN_TOPIC_BYTES);
    Map<String, TopicReading> readings = new HashMap<>();
    for (int i = 0; i < topics; i++) {
      String topic = in.readString();
      TopicReading reading = TopicReading.empty();
      int counters = in.readCount(MIN_COUNTER_BYTES);
      for (int j = 0; j < counters; j++) {
        long count = in.readVarint();
        double rate = Double.longBitsToDouble(in.readLong());
        if (j < reading.counts().length) { // a newer node may count more
          reading.counts()[j] = count;
          reading.rates()[j] = rate;
        }
      }
      readings.put(topic, reading);
    }
    in.requireEnd();
    return readings;
  }
}
