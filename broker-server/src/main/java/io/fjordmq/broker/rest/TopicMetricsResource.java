package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.TopicMetricQueries;
import io.fjordmq.broker.query.TopicMetricQueries.Readings;
import io.fjordmq.broker.topicmetrics.RegisteredTopic;
import io.fjordmq.broker.topicmetrics.TopicMetrics;
import io.fjordmq.broker.topicmetrics.TopicReading;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Message counters of registered topics. */
final class TopicMetricsResource implements Resource {
  private static final String TAG = "Topic metrics";
  private static final String PATH = "/mqtt/topic_metrics";
  private static final String ONE = PATH + "/{topic}";
  private static final String TOPIC = "topic";

  private final TopicMetrics topics;
  private final TopicMetricQueries readings;

  record TopicMetricsJson(
      @Field("Topic") String topic,
      @Field("Tenant of the topic") String tenant,
      @Field("When the topic was registered") Instant createTime,
      @Field("When the counters were reset; absent if never") @Nullable Instant resetTime,
      @Field(
              "Counters and rates (messages per second in the last few seconds) on all nodes:"
                  + " messages.in.count, messages.in.rate, the same for messages.out and"
                  + " messages.dropped, and messages.qos0.in to messages.qos2.out")
          Map<String, Number> metrics,
      @Field("Nodes whose counters are missing, and why; absent if there are none")
          @Nullable List<String> partial) {
    static TopicMetricsJson of(RegisteredTopic topic, Readings read) {
      TopicReading messages = read.byTopic().getOrDefault(topic.topic(), TopicReading.empty());
      return new TopicMetricsJson(
          topic.topic(),
          topic.tenant(),
          topic.createdAt(),
          topic.resetAt(),
          messages.byName(),
          read.problems().isEmpty() ? null : read.problems());
    }
  }

  record RegisterRequest(
      @Field(
              value = "Topic, without wildcards; at most 1,024 bytes in UTF-8",
              rule = TextRule.TOPIC,
              example = "site/1/temperature")
          String topic) {}

  /** The action on the counters. */
  enum Action {
    RESET
  }

  record ChangeRequest(
      @Field(value = "What to do: `reset` sets counters to zero", example = "reset") Action action,
      @Field(value = "Topic; all topics of the tenant if absent", rule = TextRule.TOPIC)
          @Nullable String topic) {}

  TopicMetricsResource(TopicMetrics topics, TopicMetricQueries readings) {
    this.topics = topics;
    this.readings = readings;
  }

  @Override
  public List<Operation> operations() {
    return List.of(listTopics(), showTopic(), register(), change(), delete());
  }

  private Operation listTopics() {
    return Operation.get(PATH)
        .id("listTopicMetrics")
        .tag(TAG)
        .summary("List the registered topics with their counters")
        .role(Role.VIEWER)
        .tenants()
        .query(TopicTenant.parameter())
        .okArray(TopicMetricsJson.class)
        .handler(
            request -> {
              String tenant = TopicTenant.of(request);
              return readings
                  .read(tenant)
                  .thenApply(
                      read ->
                          Response.ok(
                              topics.list(tenant).stream()
                                  .map(topic -> TopicMetricsJson.of(topic, read))
                                  .toList()));
            });
  }

  private Operation showTopic() {
    return Operation.get(ONE)
        .id("showTopicMetrics")
        .tag(TAG)
        .summary("Show the counters of a registered topic")
        .role(Role.VIEWER)
        .tenants()
        .path(Parameter.text(TOPIC, "Topic, URL-encoded", TextRule.TOPIC))
        .query(TopicTenant.parameter())
        .ok(TopicMetricsJson.class)
        .notFound("The topic is not registered")
        .handler(
            request -> {
              String tenant = TopicTenant.of(request);
              String name = request.path(TOPIC);
              return readings
                  .read(tenant)
                  .thenApply(
                      read -> {
                        RegisteredTopic topic = topics.find(tenant, name);
                        if (topic == null) {
                          throw new ApiException(
                              ErrorCode.TOPIC_NOT_FOUND,
                              "topic '%s' is not registered".formatted(Excerpt.of(name)));
                        }
                        return Response.ok(TopicMetricsJson.of(topic, read));
                      });
            });
  }

  private Operation register() {
    return Operation.post(PATH)
        .id("registerTopicMetrics")
        .tag(TAG)
        .summary("Register a topic")
        .description(
            "Every node counts the messages of the topic from now on. Counters are kept in memory"
                + " and start at zero when a node restarts. The cluster has at most 512 registered"
                + " topics, of which callers bound to a tenant register at most 64 for it.")
        .role(Role.OPERATOR)
        .tenants()
        .query(TopicTenant.parameter())
        .body(RegisterRequest.class)
        .target(request -> request.body(RegisterRequest.class).topic())
        .created(TopicMetricsJson.class)
        .conflict(
            "The topic is already registered, or there are 512 registered topics, or 64 of the"
                + " tenant to which the caller is bound")
        .handler(
            request ->
                translate(
                        topics.add(
                            TopicTenant.of(request),
                            request.body(RegisterRequest.class).topic(),
                            request.tenant().isPresent()
                                ? TopicMetrics.MAX_TOPICS_OF_TENANT
                                : TopicMetrics.MAX_TOPICS))
                    .thenApply(
                        topic ->
                            Response.created(
                                TopicMetricsJson.of(topic, new Readings(Map.of(), List.of())))));
  }

  private Operation change() {
    return Operation.put(PATH)
        .id("resetTopicMetrics")
        .tag(TAG)
        .summary("Reset the counters of one or all registered topics")
        .role(Role.OPERATOR)
        .tenants()
        .query(TopicTenant.parameter())
        .body(ChangeRequest.class)
        .target(
            request -> {
              String topic = request.body(ChangeRequest.class).topic();
              return topic == null ? "all topics" : topic;
            })
        .noContent()
        .notFound("The topic is not registered")
        .conflict("Another request changed the topic at the same time")
        .handler(
            request -> {
              String tenant = TopicTenant.of(request);
              String topic = request.body(ChangeRequest.class).topic();
              return translate(
                      topic == null ? topics.resetAll(tenant) : topics.reset(tenant, topic))
                  .thenApply(reset -> Response.noContent());
            });
  }

  private Operation delete() {
    return Operation.delete(ONE)
        .id("deleteTopicMetrics")
        .tag(TAG)
        .summary("Stop counting the messages of a topic")
        .role(Role.OPERATOR)
        .tenants()
        .path(Parameter.text(TOPIC, "Topic, URL-encoded", TextRule.TOPIC))
        .query(TopicTenant.parameter())
        .noContent()
        .notFound("The topic is not registered")
        .conflict("Another request changed the topic at the same time")
        .handler(
            request ->
                translate(topics.remove(TopicTenant.of(request), request.path(TOPIC)))
                    .thenApply(removed -> Response.noContent()));
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return RecordFailures.translate(result, ErrorCode.TOPIC_NOT_FOUND);
  }
}
