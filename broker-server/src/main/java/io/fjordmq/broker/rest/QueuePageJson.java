package io.fjordmq.broker.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of messages for a client. */
record QueuePageJson(
    @Field("The messages, in the order in which they are sent") List<QueuedMessageJson> data,
    @Field("Position of the page") QueueMetaJson meta) {

  /** The position of a page. */
  record QueueMetaJson(
      @Field("Value of the parameter `position` for the next page; absent on the last page")
          @Nullable String position,
      @Field("Maximum number of messages on a page") int limit,
      @Field("Whether there are more messages") boolean hasnext) {}
}
