package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.TopicLevels.Level;

/** A level of topic filters that have subscribers. */
record TopicLevelJson(
    @Field(value = "Text of the level; may be empty", example = "temperature") String level,
    @Field(value = "Prefix and level", example = "site/1/temperature") String topic,
    @Field("Whether `topic` is a topic filter that has subscribers") boolean isFilter,
    @Field("Number of topic filters with more levels after this one") long below) {

  static TopicLevelJson of(String prefix, Level level) {
    return new TopicLevelJson(
        level.level(), prefix + level.level(), level.isFilter(), level.below());
  }
}
