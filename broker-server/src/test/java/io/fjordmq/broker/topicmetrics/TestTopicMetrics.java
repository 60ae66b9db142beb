package io.fjordmq.broker.topicmetrics;

import io.fjordmq.broker.records.TestRecords;

/** Opens the topic metrics of nodes that follow the same records. */
public final class TestTopicMetrics {
  private TestTopicMetrics() {}

  /** Opens the topic metrics of another node, which the records close. */
  public static TopicMetrics open(TestRecords records) {
    return records.own(
        TopicMetrics.open(new TopicMetrics.Dependencies(records.client(), records::now)));
  }
}
