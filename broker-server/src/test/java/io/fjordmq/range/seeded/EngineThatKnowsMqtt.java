package io.fjordmq.range.seeded;

import io.fjordmq.api.Topic;
import io.fjordmq.range.seededtwo.OtherHalfOfACycle;
import io.netty.buffer.ByteBuf;

/** Knows topics and netty's buffers in the range engine, and is half of a cycle of packages. */
public final class EngineThatKnowsMqtt {
  private EngineThatKnowsMqtt() {}

  /** Depends on what the engine must not know. */
  public static int lengthOf(Topic topic, ByteBuf buffer) {
    return topic.toString().length() + buffer.readableBytes() + OtherHalfOfACycle.LENGTH;
  }
}
